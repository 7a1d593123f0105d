// SPDX-License-Identifier: MIT
// The tries and the writer's stores of each scenario; included by publication.pml, whose words they use.

// ---- the scenarios.  In each: R is the top node (unless it is the holder's slot), N a full child of it for 48/2.
#define R 1
#define R_AT 2
#define N 2
#define N_AT 6

inline setup_top() {
  e_plen[0] = 0;
#ifdef TOP_COVER
  new_entry(D, 0, 0, 0, 7);
  store(TOP, EMPTY(D), TERMINAL(7))
#else
  store(TOP, EMPTY(0), NO_ROUTE)
#endif
}

inline setup_r_and_n() {
  store_root(TNODE(R), PLAIN(R_AT, 4, 2)); // the holder's hot word stays what it was: nobody may look at it
  new_tnode(R, 0, 4, 2, 0, R_AT);
  store(R_AT, EMPTY(0), TOP_WORD);
  store(R_AT + 1, EMPTY(0), TOP_WORD);
#ifdef TOP_COVER
  store(R_AT + 2, EMPTY(0), TOP_WORD);
#else
  new_entry(C, 32, 1, 0, 1);
  store(R_AT + 2, LEAF(C), TERMINAL(1));
#endif
  store(R_AT + 3, TNODE(N), PLAIN(N_AT, 2, 2));
  new_tnode(N, 48, 2, 2, OUTER, N_AT);
  store(N_AT, EMPTY(OUTER), OUTER_WORD);
  store(N_AT + 1, EMPTY(OUTER), OUTER_WORD);
  store(N_AT + 2, EMPTY(OUTER), OUTER_WORD);
  store(N_AT + 3, EMPTY(OUTER), OUTER_WORD)
}

#if defined(INSERT) || defined(REMOVE) || defined(REPLACE)
// 48/2 P in a slot of its own, beside 53/6 E (a guard) and a tnode T that skips a bit, with 58/6 A and 59/6 B.
#define E_KEY 53
#define T 3
#define T_AT 10
#define TRUTH                                                                                      \
  BEST(E, E_KEY, 6, 3, BEST(A, 58, 6, 4, BEST(B, 59, 6, 6, BEST(P, 48, 2, p_result, BEST(C, 32, 1, 1, \
  BEST(D, 0, 0, 7, 0))))))

inline choose_address() {
  if
  :: addr = 49 // P's own slot
  :: addr = 52 // E's slot, but not E
  :: addr = 53
  :: addr = 56 // what T skips
  :: addr = 58
  :: addr = 60 // a slot that stays empty
  :: addr = 40
  :: addr = 20
  fi
}

// What hand_over_below() stores from R on, for C to P or back: N, then its slots in turn.
inline hand_over(to, word, e_word) {
  h_cover[N] = to; // a full child, so it has no descriptor
  e_cover[E] = to;
#ifdef TOP_COVER
  hot[N_AT + 1] = e_word; // its top bit
#endif
  set_cover(T, to);
  e_cover[A] = to;
  e_cover[B] = to;
  store(N_AT + 3, EMPTY(to), word)
}

inline setup() {
  setup_r_and_n();
  new_entry(E, E_KEY, 6, OUTER, 3);
  new_entry(A, 58, 6, OUTER, 4);
  new_entry(B, 59, 6, OUTER, 6);
  store(N_AT + 1, LEAF(E), E_OUTER_GUARD);
  new_tnode(T, 58, 0, 1, OUTER, T_AT);
  new_descriptor(T);
  store(T_AT, LEAF(A), TERMINAL(4));
  store(T_AT + 1, LEAF(B), TERMINAL(6));
  store(N_AT + 2, TNODE(T), ESCAPE(T));
  table = OUTER_BIT | BIT(E) | BIT(A) | BIT(B);
#ifndef INSERT
  new_entry(P, 48, 2, OUTER, 2);
  store(N_AT, LEAF(P), P_WORD);
  hand_over(P, P_WORD, E_GUARD);
  table = table | BIT(P)
#endif
}

inline script() {
#if defined(INSERT)
  BEGIN(table = table | BIT(P));
#ifndef FAULT_EARLY_LEAF
  new_entry(P, 48, 2, OUTER, 2);
  store(N_AT, LEAF(P), P_WORD);
#else
  store(N_AT, LEAF(P), P_WORD);
  new_entry(P, 48, 2, OUTER, 2);
#endif
#ifndef FAULT_NO_HAND_OVER
  hand_over(P, P_WORD, E_GUARD);
#endif
#elif defined(REMOVE)
  BEGIN(table = table - BIT(P));
#ifdef FAULT_EARLY_RETIRE
  retire(P);
#endif
#ifndef FAULT_NO_HAND_OVER
  hand_over(OUTER, OUTER_WORD, E_OUTER_GUARD);
#endif
#ifdef FAULT_GAP // the slot is emptied before it gets its cover
  store(N_AT, EMPTY(0), NO_ROUTE);
#endif
  store(N_AT, EMPTY(OUTER), OUTER_WORD);
#ifndef FAULT_EARLY_RETIRE
  retire(P);
#endif
#else // change_result(): the entry, then every word that shows it
  BEGIN(p_result = 5);
  e_result[P] = 5;
#ifndef BY_ENTRY
  hot[N_AT] = TERMINAL(5);
  hot[N_AT + 3] = TERMINAL(5);
#ifdef MARKED // there are many such words: they refer to the entry from now on
  hot[N_AT] = ENTRY(P);
  hot[N_AT + 3] = ENTRY(P);
#endif
#endif
#endif
  END
}

#elif defined(PAIR_GROWN) || defined(PAIR_SKIPPED)
// insert_pair(): 52/4 P comes into the slot of E, which gets a tnode T for both.  PAIR_GROWN: 54/6 E; T has grown to
// two bits, and one of its empty slots has E's cover.  PAIR_SKIPPED: 53/6 E; T skips a bit and has a descriptor.
// What lies in T and below gets its covers before the slot shows T.  If the slot comes first (FAULT_LATE_HAND_OVER), a
// reader that still stands at E, or went from E's guard by the new twin into T, gives the new answer as soon as E's
// cover, a twin or the header's cover says it, while one that comes by T's hot word, or descriptor, finds the old one.
// trie/insert.hpp once had the late order.
#define T 3
#define T_AT 10
#ifdef PAIR_GROWN
#define E_KEY 54
#else
#define E_KEY 53
#endif
#define TRUTH BEST(E, E_KEY, 6, 3, BEST(P, 52, 4, 2, BEST(C, 32, 1, 1, BEST(D, 0, 0, 7, 0))))

inline choose_address() {
  if
  :: addr = 52
  :: addr = 53
  :: addr = 54
  :: addr = 55
  :: addr = 56
  fi
}

inline setup() {
  setup_r_and_n();
  new_entry(E, E_KEY, 6, OUTER, 3);
  store(N_AT + 1, LEAF(E), E_OUTER_GUARD);
  table = OUTER_BIT | BIT(E)
}

// What a hand-over to P stores in T and below.
inline hand_over_pair() {
#ifdef PAIR_GROWN
  h_cover[T] = P;
  e_cover[E] = P;
  store(T_AT + 3, EMPTY(P), P_WORD)
#else
  set_cover(T, P);
  e_cover[E] = P
#endif
}

inline script() {
  BEGIN(table = table | BIT(P));
  new_entry(P, 52, 4, OUTER, 2);
#ifdef PAIR_GROWN
  new_tnode(T, 52, 0, 2, OUTER, T_AT);
  store(T_AT + 2, LEAF(E), E_WORD);
  store(T_AT + 3, EMPTY(OUTER), OUTER_WORD);
  store(T_AT, LEAF(P), P_WORD);
  store(T_AT + 1, EMPTY(P), P_WORD);
#else
  new_tnode(T, 52, 0, 1, OUTER, T_AT);
  new_descriptor(T);
  store(T_AT + 1, LEAF(E), E_WORD);
  store(T_AT, LEAF(P), P_WORD);
#endif
#ifndef FAULT_LATE_HAND_OVER
  hand_over_pair();
#endif
#ifdef PAIR_GROWN
  store(N_AT + 1, TNODE(T), PLAIN(T_AT, 0, 2));
#else
  store(N_AT + 1, TNODE(T), ESCAPE(T));
#endif
#ifdef FAULT_LATE_HAND_OVER
  hand_over_pair();
#endif
  END
}

#elif defined(HALVE)
// 52/4 P goes from the tnode T that it shares with 54/6 E.  T is halved; what is left of it collapses.
#define T 3
#define T_AT 10
#define HALF 4
#define HALF_AT 14
#define E_KEY 54
#define TRUTH BEST(E, E_KEY, 6, 3, BEST(P, 52, 4, 2, BEST(C, 32, 1, 1, BEST(D, 0, 0, 7, 0))))

inline choose_address() {
  if
  :: addr = 52
  :: addr = 53
  :: addr = 54
  :: addr = 55
  :: addr = 56
  fi
}

inline setup() {
  setup_r_and_n();
  new_entry(P, 52, 4, OUTER, 2);
  new_entry(E, E_KEY, 6, P, 3);
  new_tnode(T, 52, 0, 2, P, T_AT);
  store(T_AT, LEAF(P), P_WORD);
  store(T_AT + 1, EMPTY(P), P_WORD);
  store(T_AT + 2, LEAF(E), E_WORD);
  store(T_AT + 3, EMPTY(P), P_WORD);
  store(N_AT + 1, TNODE(T), PLAIN(T_AT, 0, 2));
  table = OUTER_BIT | BIT(E) | BIT(P)
}

inline script() {
  BEGIN(table = table - BIT(P));
  h_cover[T] = OUTER;
  store(T_AT + 1, EMPTY(OUTER), OUTER_WORD);
  e_cover[E] = OUTER;
  store(T_AT + 3, EMPTY(OUTER), OUTER_WORD);
  store(T_AT, EMPTY(OUTER), OUTER_WORD);
  retire(P);
  new_tnode(HALF, 52, 1, 1, OUTER, HALF_AT);
  store(HALF_AT + 1, LEAF(E), E_OUTER_GUARD);
  store(HALF_AT, EMPTY(OUTER), OUTER_WORD);
#ifdef FAULT_EARLY_RETIRE
  retire(A_TNODE + T);
#endif
  store(N_AT + 1, TNODE(HALF), PLAIN(HALF_AT, 1, 1));
#ifndef FAULT_EARLY_RETIRE
  retire(A_TNODE + T);
#endif
  store(N_AT + 1, LEAF(E), E_OUTER_GUARD);
  retire(A_TNODE + HALF);
  END
}

#elif defined(INFLATE) || defined(SEQUENCE)
// 48/2 P; in it 53/6 E, a full child T of one bit with 56/5 A and 58/5 B, and an empty slot, into which 60/4 Q comes: N
// is inflated, T dissolves.  SEQUENCE: then E goes, and 33/6 X comes into C's slot, with the id of E and the header,
// descriptor and array of T where these are free again.
#define T 3
#define T_AT 10
#define BIG 4
#define BIG_AT 12
#define SPARE 5
#define SPARE_AT 20
#define E_KEY 53
#define TRUTH                                                                                                    \
  BEST(X, 33, 6, 7, BEST(E, E_KEY, 6, 3, BEST(A, 56, 5, 4, BEST(B, 58, 5, 6, BEST(Q, 60, 4, 5, BEST(P, 48, 2, 2, \
  BEST(C, 32, 1, 1, BEST(D, 0, 0, 7, 0))))))))

inline choose_address() {
  if
  :: addr = 50
  :: addr = 52 // E's slot, but not E
  :: addr = 53
  :: addr = 57 // in T
  :: addr = 58
  :: addr = 61
#ifdef SEQUENCE
  :: addr = 32
  :: addr = 33
  :: addr = 36 // what X's tnode skips
#endif
  fi
}

inline setup() {
  setup_r_and_n();
  new_entry(P, 48, 2, OUTER, 2);
  new_entry(E, E_KEY, 6, P, 3);
  new_entry(A, 56, 5, P, 4);
  new_entry(B, 58, 5, P, 6);
  h_cover[N] = P;
  new_tnode(T, 56, 1, 1, P, T_AT);
  store(T_AT, LEAF(A), TERMINAL(4));
  store(T_AT + 1, LEAF(B), TERMINAL(6));
  store(N_AT, LEAF(P), TERMINAL(2));
  store(N_AT + 1, LEAF(E), E_GUARD);
  store(N_AT + 2, TNODE(T), PLAIN(T_AT, 1, 1));
  store(N_AT + 3, EMPTY(P), TERMINAL(2));
  table = OUTER_BIT | BIT(P) | BIT(E) | BIT(A) | BIT(B)
}

inline script() {
#ifdef SEQUENCE
  byte id, t, at;
#endif
  BEGIN(table = table | BIT(Q));
  new_entry(Q, 60, 4, P, 5);
  store(N_AT + 3, LEAF(Q), TERMINAL(5));
  new_tnode(BIG, 48, 1, 3, P, BIG_AT);
#ifdef FAULT_EARLY_ARRAY
  store(R_AT + 3, TNODE(BIG), PLAIN(BIG_AT, 1, 3));
#endif
  store(BIG_AT + 6, LEAF(Q), TERMINAL(5));
  store(BIG_AT + 7, EMPTY(Q), TERMINAL(5));
  store(BIG_AT + 5, LEAF(B), TERMINAL(6));
  store(BIG_AT + 4, LEAF(A), TERMINAL(4));
  store(BIG_AT + 2, LEAF(E), E_GUARD);
  store(BIG_AT + 3, EMPTY(P), TERMINAL(2));
  store(BIG_AT, LEAF(P), TERMINAL(2));
  store(BIG_AT + 1, EMPTY(P), TERMINAL(2));
#ifdef FAULT_EARLY_RETIRE
  retire(A_TNODE + T);
  retire(A_TNODE + N);
#endif
#ifndef FAULT_EARLY_ARRAY
  store(R_AT + 3, TNODE(BIG), PLAIN(BIG_AT, 1, 3));
#endif
#ifndef FAULT_EARLY_RETIRE
  retire(A_TNODE + T);
  retire(A_TNODE + N);
#endif
  END;
#ifdef SEQUENCE
  BEGIN(table = table - BIT(E));
  store(BIG_AT + 2, EMPTY(P), TERMINAL(2));
#ifndef FAULT_REUSE
  retire(E);
#endif
  END;
  BEGIN(table = table | BIT(X));
  d_step {
#ifdef FAULT_REUSE
    id = E;
#else
    id = (q_head > 2 -> E : X);
#endif
    t = (q_head > 0 -> T : SPARE);
    at = (q_head > 0 -> T_AT : SPARE_AT);
    if
    :: id == E && t == T && open != 0 -> FACT(REUSED)
    :: else
    fi
  }
  new_entry(id, 33, 6, C, 7);
  new_tnode(t, 32, 0, 1, C, at);
  new_descriptor(t);
  store(at, LEAF(C), TERMINAL(1));
  store(at + 1, LEAF(id), TERMINAL(7));
  store(R_AT + 2, TNODE(t), ESCAPE(t));
  END
#endif
}

#elif defined(INFLATE_ROOT)
// 16/2 Q comes into an empty slot of R, which is inflated; N, a full child of two bits, is split.  The root word
// shows it.
#define BIG 3
#define BIG_AT 10
#define LOW 4
#define LOW_AT 18
#define HIGH 5
#define HIGH_AT 20
#define E_KEY 53
#define TRUTH BEST(E, E_KEY, 6, 3, BEST(Q, 16, 2, 5, BEST(C, 32, 1, 1, BEST(D, 0, 0, 7, 0))))

inline choose_address() {
  if
  :: addr = 5
  :: addr = 20
  :: addr = 36
  :: addr = 52 // E's slot, but not E
  :: addr = 53
  :: addr = 60
  fi
}

inline setup() {
  setup_r_and_n();
  new_entry(E, E_KEY, 6, OUTER, 3);
  store(N_AT + 1, LEAF(E), E_OUTER_GUARD);
  table = OUTER_BIT | BIT(E)
}

inline script() {
  BEGIN(table = table | BIT(Q));
  new_entry(Q, 16, 2, 0, 5);
  store(R_AT + 1, LEAF(Q), TERMINAL(5));
  new_tnode(BIG, 0, 3, 3, 0, BIG_AT);
  new_tnode(HIGH, 56, 2, 1, OUTER, HIGH_AT);
  store(HIGH_AT + 1, EMPTY(OUTER), OUTER_WORD);
  store(HIGH_AT, EMPTY(OUTER), OUTER_WORD);
  store(BIG_AT + 7, TNODE(HIGH), PLAIN(HIGH_AT, 2, 1));
  new_tnode(LOW, 48, 2, 1, OUTER, LOW_AT);
  store(LOW_AT + 1, LEAF(E), E_OUTER_GUARD);
  store(LOW_AT, EMPTY(OUTER), OUTER_WORD);
  store(BIG_AT + 6, TNODE(LOW), PLAIN(LOW_AT, 2, 1));
#ifdef TOP_COVER
  store(BIG_AT + 5, EMPTY(0), TOP_WORD);
  store(BIG_AT + 4, EMPTY(0), TOP_WORD);
#else
  store(BIG_AT + 4, LEAF(C), TERMINAL(1));
  store(BIG_AT + 5, EMPTY(C), TERMINAL(1));
#endif
  store(BIG_AT + 2, LEAF(Q), TERMINAL(5));
  store(BIG_AT + 3, EMPTY(Q), TERMINAL(5));
  store(BIG_AT + 1, EMPTY(0), TOP_WORD);
  store(BIG_AT, EMPTY(0), TOP_WORD);
  store_root(TNODE(BIG), PLAIN(BIG_AT, 3, 3));
  retire(A_TNODE + N);
  retire(A_TNODE + R);
  END
}

#elif defined(HOLDER_SLOT)
// 53/6 E alone, in the root holder's slot; 16/2 Q comes, and the two get the first top node R; then Q goes, R is halved
// and collapses: the root word leads to the holder's slot again.  Only 0/0 covers (TOP_COVER).
#define HALF 2
#define HALF_AT 6
#define E_KEY 53
#define TRUTH BEST(E, E_KEY, 6, 3, BEST(Q, 16, 2, 5, BEST(D, 0, 0, 7, 0)))

inline choose_address() {
  if
  :: addr = 5
  :: addr = 20
  :: addr = 52
  :: addr = 53
  fi
}

inline setup() {
  root = PLAIN(HOLDER, 0, 0);
  new_entry(E, E_KEY, 6, 0, 3);
  store(HOLDER, LEAF(E), E_OUTER_GUARD);
  table = BIT(D) | BIT(E)
}

inline script() {
  BEGIN(table = table | BIT(Q));
  new_entry(Q, 16, 2, 0, 5);
  new_tnode(R, 0, 4, 2, 0, R_AT);
  store(R_AT + 3, LEAF(E), E_OUTER_GUARD);
  store(R_AT + 2, EMPTY(0), TOP_WORD);
  store(R_AT + 1, LEAF(Q), TERMINAL(5));
  store(R_AT, EMPTY(0), TOP_WORD);
  store_root(TNODE(R), PLAIN(R_AT, 4, 2));
  END;
  BEGIN(table = table - BIT(Q));
  store(R_AT + 1, EMPTY(0), TOP_WORD);
  retire(Q);
  new_tnode(HALF, 0, 5, 1, 0, HALF_AT);
  store(HALF_AT + 1, LEAF(E), E_OUTER_GUARD);
  store(HALF_AT, EMPTY(0), TOP_WORD);
  store_root(TNODE(HALF), PLAIN(HALF_AT, 5, 1));
  retire(A_TNODE + R);
  store(HOLDER, LEAF(E), E_OUTER_GUARD);
  root = PLAIN(HOLDER, 0, 0);
  retire(A_TNODE + HALF);
  END
}
#endif
