// SPDX-License-Identifier: MIT
// A model of the trie's publication order: one writer's stores, readers between any two of them, grace periods.
//
// What is a step: each load of a reader and each store of the writer, in every order.  A word is never torn, and all
//   see the stores in the order they were made (sequential consistency of single words).  For chains of loads like
//   these x86, and acquire and release, give no less: there is one writer, each store that publishes is a release, and
//   each load of a reader takes its address from the acquire load before it, so it sees what was stored before the word
//   that led there.  The plain fields of a published header or descriptor never change; they are one step.
// Who is there: a writer with a script of stores for each scenario, in the order of trie/insert.hpp, remove.hpp,
//   covers.hpp, resize.hpp and slots.hpp; readers with any number of sections and lookups, in the order of loads of
//   trie/lookup.hpp; a reclaimer, which frees what is retired, oldest first (rcu/retire.hpp).  The writer never waits.
// What must hold for an address that is chosen at the beginning and that all readers look up:
//   1. What is freed, or not written yet, is never read.  2. An address covered throughout always has an answer.
//   3. The answer was right at some moment between the beginning and the end of the lookup.
//   4. In an update it flips once: after a lookup ended with the new answer none begins that gives the old one.
//   5. A lookup that begins after the end of an update gives the new answer.
// Scale: keys of 6 bits.  top_bits is 0: only 0/0 is a short prefix, and the top array has one cell.
// Defines: one scenario (at the end of the file), and
//   READERS     so many
//   MATCH       readers call match(), which follows twins and headers alone, not lookup()
//   TOP_COVER   what covers P is 0/0, in the top array, not the entry C
//   BY_ENTRY, E_BY_ENTRY   slots refer to the entry of P, or E, as for a result that fits no word
//   REACH       facts that one run can have all together; so their negated assertion has to fail
//   FAULT_...   a planted fault

#ifndef READERS
#define READERS 1
#endif
#define WIDTH 6

// ---- words: 3 bits of kind and 12 of what it says
#define POISON 28672 /* 7 << 12: not written yet, or freed */
#define KIND(w) ((w) >> 12)
#define PLAIN(base, pos, bits) ((base) << 6 | (bits) << 3 | (pos))
#define TERMINAL(result) (1 << 12 | (result))
#define NO_ROUTE (2 << 12)
#define GUARD(key, result, top) (3 << 12 | (top) << 11 | (result) << 8 | (key)) /* always for a prefix of 6 bits */
#define ENTRY(id) (4 << 12 | (id))
#define ESCAPE(id) (5 << 12 | (id))
#define FIELD(pos, bits) ((addr >> (pos)) & ((1 << (bits)) - 1))
#define STEP(w) (((w) >> 6 & 63) + FIELD((w) & 7, (w) >> 3 & 7))

// ---- twins
#define EMPTY(id) (id)
#define LEAF(id) (256 + (id))
#define TNODE(id) (512 + (id))
#define ID(t) ((t) & 255)

#define BAD 255 /* POISON for the fields of records */
#define IN(key, plen) (addr >> (WIDTH - (plen)) == (key) >> (WIDTH - (plen)))

// ---- slots: the top array's cell, the root holder's slot, then child arrays
#define TOP 0
#define HOLDER 1
#define SLOTS 24
#define TOP_WORD PLAIN(TOP, 0, 0)

short root;
short hot[SLOTS];
short twin[SLOTS];

#define ENTRIES 9
byte e_key[ENTRIES];
byte e_plen[ENTRIES];
byte e_cover[ENTRIES];
byte e_result[ENTRIES];

#define TNODES 7
byte h_key[TNODES]; // headers
byte h_pos[TNODES];
byte h_bits[TNODES];
byte h_cover[TNODES];
byte h_array[TNODES];
byte d_key[TNODES]; // descriptors; a tnode's has the tnode's number
byte d_pos[TNODES];
byte d_bits[TNODES];
byte d_cover[TNODES];
byte d_array[TNODES];

// ---- grace periods
byte open; // readers inside a section, one bit each
#define QUEUE 5
#define A_TNODE 16
byte q_record[QUEUE]; // an entry's id, or A_TNODE + a tnode's
byte q_open[QUEUE];   // sections that were open at its retirement and have not ended
byte q_head;
byte q_end;

// ---- what is true; no part of the trie
byte addr;
byte table;    // prefixes that are there, one bit each
byte p_result; // P's
byte truth[4]; // the address's answer (0: none) after so many updates
byte begun;    // updates
byte ended;
byte seen; // a lookup that has ended showed this update's answer

// ---- facts, to be summed up in REACH: some run must be able to have them together
#define OLD_INSIDE 1     /* a lookup that lay inside an update gave the old answer */
#define NEW_INSIDE 2     /* one gave the new answer */
#define RECLAIMED 4      /* something was freed while a section was open */
#define REUSED 8         /* an entry's id and a tnode's were used anew while a section was open */
#define BY_TWIN 16       /* a reader went from a guard to the twin */
#define BY_HEADER 32     /* it came by a header */
#define BY_DESCRIPTOR 64 /* it took a descriptor's cover */
#define BY_COVER 128     /* it took an entry's cover */
#define STALE_ENTRY 256  /* it stood on a retired entry */
#define STALE_ARRAY 512  /* it loaded a word of a retired tnode's array */
#ifdef REACH
short facts;
#define FACT(n) facts = facts | (n); assert((facts & (REACH)) != (REACH))
#else
#define FACT(n) skip
#endif

// ---- the worlds: prefixes with their entries' ids; bits of `table` say which are there
#define C 1
#define P 2
#define E 3
#define A 4
#define B 5
#define Q 6
#define X 7
#define D 8 /* 0/0 */
#define BIT(p) (1 << ((p) - 1))
#define HAS(p) (table >> ((p) - 1) & 1)
#define BEST(p, key, plen, result, rest) (HAS(p) && IN(key, plen) -> (result) : (rest))
#define COVERED (HAS(D) || (HAS(C) && IN(32, 1))) /* these two never go */

// What covers P: C, or 0/0 in the top array.
#ifdef TOP_COVER
#define OUTER 0
#define OUTER_WORD TOP_WORD
#define OUTER_BIT BIT(D)
#define E_OUTER_GUARD_WORD GUARD(E_KEY, 3, 1)
#else
#define OUTER C
#define OUTER_WORD TERMINAL(1)
#define OUTER_BIT BIT(C)
#define E_OUTER_GUARD_WORD GUARD(E_KEY, 3, 0)
#endif
// E's words: its cover is P, it is what covers P, E is all that its slot has.
#ifdef E_BY_ENTRY
#define E_GUARD ENTRY(E)
#define E_OUTER_GUARD ENTRY(E)
#define E_WORD ENTRY(E)
#else
#define E_GUARD GUARD(E_KEY, 3, 0)
#define E_OUTER_GUARD E_OUTER_GUARD_WORD
#define E_WORD TERMINAL(3)
#endif
#ifdef BY_ENTRY
#define P_WORD ENTRY(P)
#else
#define P_WORD TERMINAL(2)
#endif

// ---- readers
#define IDLE 0
#define AT_SLOT 1
#define AT_TWIN 2
#define AT_HEADER 3
#define AT_HEADER_COVER 4
#define AT_HEADER_ARRAY 5
#define AT_DESCRIPTOR 6
#define AT_DESCRIPTOR_COVER 7
#define AT_DESCRIPTOR_ARRAY 8
#define AT_FIRST_COVER 9
#define AT_ENTRY 10
#define AT_ENTRY_PLEN 11
#define AT_ENTRY_RESULT 12
#define AT_ENTRY_COVER 13
#define AT_TOP 14
#define AT_TOP_TWIN 15

// The last load has been made: judges the answer.
inline finish(answer) {
  v = from;
  do
  :: v <= begun && truth[v] != (answer) -> v++
  :: else -> break
  od;
  assert((answer) != 0 || !COVERED);
  assert(v <= begun); // right at some moment since the lookup began
  if
  :: v > seen -> seen = v
  :: else
  fi;
#ifdef REACH
  if
  :: inside && begun > ended && v == from && truth[begun] != truth[from] -> FACT(OLD_INSIDE)
  :: inside && begun > ended && v > from -> FACT(NEW_INSIDE)
  :: else
  fi;
  inside = 0;
#endif
  st = IDLE;
  slot = 0;
  id = 0;
  key = 0;
  w = 0;
  v = 0;
  from = 0
}

// Goes on along the covers from an entry's id (0: at the top array).
inline follow() {
  key = 0;
  if
#ifdef MATCH
  :: id == 0 -> st = AT_TOP_TWIN
#else
  :: id == 0 -> st = AT_TOP
#endif
  :: else -> st = AT_ENTRY
  fi
}

#define MY (1 << me)

inline note_stale(where, fact) {
#ifdef REACH
  v = q_head;
  do
  :: v < q_end && !(where) -> v++
  :: else -> break
  od;
  if
  :: v < q_end -> FACT(fact)
  :: else
  fi;
  v = 0
#else
  skip
#endif
}

// A slot of the array of the tnode that a record retires.
#define RETIRED (q_record[v] - A_TNODE)
#define IN_RETIRED \
  (q_record[v] >= A_TNODE && slot >= h_array[RETIRED] && slot < h_array[RETIRED] + (1 << h_bits[RETIRED]))

proctype reader(byte me) {
  byte st = IDLE;
  byte slot, id, key, v, from;
  short w;
#ifdef MATCH
  bool again = false;
#else
  bool again; // the first word is loaded again if it is a final one: reader::step_unless_final
#endif
#ifdef REACH
  bool inside;
#endif

end:
  do
  :: d_step { st == IDLE && !(open & MY) -> open = open | MY }
  :: d_step { st == IDLE && (open & MY) -> open = open & (255 - MY);
       v = 0;
       do
       :: v < QUEUE -> q_open[v] = q_open[v] & (255 - MY); v++
       :: else -> break
       od;
       v = 0
     }
  :: d_step { st == IDLE && (open & MY) -> // a lookup begins: the root word
       from = (seen > ended -> seen : ended);
#ifdef REACH
       inside = (begun > ended && from == ended);
#endif
#ifdef MATCH
       slot = HOLDER;
       w = twin[slot];
       if
       :: w >= TNODE(0) -> id = ID(w); st = AT_HEADER
       :: else -> id = ID(w); follow()
       fi
#else
       slot = STEP(root);
       again = true;
       st = AT_SLOT
#endif
     }
#ifndef MATCH
  :: d_step { st == AT_SLOT -> w = hot[slot];
       assert(w != POISON);
       note_stale(IN_RETIRED, STALE_ARRAY);
       if
       :: KIND(w) == 0 -> slot = STEP(w); again = false
       :: KIND(w) != 0 && again -> again = false
       :: else ->
          if
          :: KIND(w) == 1 -> finish(w & 15)
          :: KIND(w) == 2 -> finish(0)
          :: KIND(w) == 3 ->
             if
             :: (w & 63) == addr -> finish(w >> 8 & 7)
             :: (w & 63) != addr && (w >> 11 & 1) -> id = 0; follow()
             :: else -> FACT(BY_TWIN); st = AT_TWIN
             fi
          :: KIND(w) == 4 -> id = w & 15; st = AT_ENTRY
          :: else -> id = w & 15; st = AT_DESCRIPTOR
          fi
       fi;
       w = 0
     }
  :: d_step { st == AT_DESCRIPTOR -> // its plain fields
       key = d_key[id];
       assert(key != BAD);
       if
       :: (addr ^ key) >> (d_pos[id] + d_bits[id]) != 0 -> st = AT_DESCRIPTOR_COVER
       :: else -> st = AT_DESCRIPTOR_ARRAY
       fi;
       key = 0
     }
  :: d_step { st == AT_DESCRIPTOR_COVER -> id = d_cover[id]; assert(id != BAD); FACT(BY_DESCRIPTOR); follow() }
  :: d_step { st == AT_DESCRIPTOR_ARRAY -> slot = d_array[id];
       assert(slot != BAD);
       slot = slot + FIELD(d_pos[id], d_bits[id]);
       id = 0;
       st = AT_SLOT
     }
  :: d_step { st == AT_FIRST_COVER -> // a short prefix answers by the top array alone
       if
       :: id == 0 -> skip
       :: else -> key = e_plen[id]; assert(key != BAD); id = (key == 0 -> 0 : id)
       fi;
       follow()
     }
  :: d_step { st == AT_TOP -> w = hot[TOP];
       assert(w != POISON);
       if
       :: KIND(w) == 1 -> finish(w & 15)
       :: else -> finish(0)
       fi
     }
#endif
  :: d_step { st == AT_TWIN -> w = twin[slot];
       assert(w != POISON);
       slot = 0;
       id = ID(w);
       if
       :: w >= TNODE(0) -> st = AT_HEADER
#ifdef MATCH
       :: else -> follow()
#else
       :: else -> st = AT_FIRST_COVER
#endif
       fi;
       w = 0
     }
  :: d_step { st == AT_HEADER -> // its plain fields
       FACT(BY_HEADER);
       key = h_key[id];
       assert(key != BAD);
       if
       :: (addr ^ key) >> (h_pos[id] + h_bits[id]) != 0 -> st = AT_HEADER_COVER
       :: else -> st = AT_HEADER_ARRAY
       fi;
       key = 0
     }
  :: d_step { st == AT_HEADER_COVER -> id = h_cover[id];
       assert(id != BAD);
#ifdef MATCH
       follow()
#else
       st = AT_FIRST_COVER
#endif
     }
  :: d_step { st == AT_HEADER_ARRAY -> slot = h_array[id];
       assert(slot != BAD);
       slot = slot + FIELD(h_pos[id], h_bits[id]);
       id = 0;
       st = AT_TWIN
     }
  :: d_step { st == AT_ENTRY -> key = e_key[id]; assert(key != BAD); st = AT_ENTRY_PLEN;
       note_stale(q_record[v] == id, STALE_ENTRY)
     }
  :: d_step { st == AT_ENTRY_PLEN -> w = e_plen[id];
       assert(w != BAD);
       if
       :: IN(key, w) -> st = AT_ENTRY_RESULT
       :: else -> st = AT_ENTRY_COVER
       fi;
       key = 0;
       w = 0
     }
  :: d_step { st == AT_ENTRY_RESULT -> w = e_result[id]; assert(w != BAD); finish(w) }
  :: d_step { st == AT_ENTRY_COVER -> id = e_cover[id]; assert(id != BAD); FACT(BY_COVER); follow() }
#ifdef MATCH
  :: d_step { st == AT_TOP_TWIN -> id = ID(twin[TOP]);
       if
       :: id == 0 -> finish(0)
       :: else -> st = AT_ENTRY_RESULT
       fi
     }
#endif
  od
}

// ---- the reclaimer: what no section needs any more is overwritten
active proctype reclaimer() {
  byte t, s;
end:
  do
  :: d_step { q_head < q_end && q_open[q_head] == 0 ->
       t = q_record[q_head];
       q_head++;
       if
       :: t < A_TNODE -> e_key[t] = BAD; e_plen[t] = BAD; e_cover[t] = BAD; e_result[t] = BAD
       :: else ->
          t = t - A_TNODE;
          s = h_array[t];
          do
          :: s < h_array[t] + (1 << h_bits[t]) -> hot[s] = POISON; twin[s] = POISON; s++
          :: else -> break
          od;
          h_key[t] = BAD; h_pos[t] = BAD; h_bits[t] = BAD; h_cover[t] = BAD; h_array[t] = BAD;
          d_key[t] = BAD; d_pos[t] = BAD; d_bits[t] = BAD; d_cover[t] = BAD; d_array[t] = BAD
       fi;
       t = 0;
       s = 0;
#ifdef REACH
       if
       :: open != 0 -> FACT(RECLAIMED)
       :: else
       fi
#endif
     }
  od
}

// ---- the writer
#define BEGIN(change) d_step { change; begun++; truth[begun] = TRUTH }
#define END ended = begun

inline retire(record) {
  d_step {
    q_record[q_end] = record;
#ifdef FAULT_NO_GRACE // the reclaimer waits for nobody
    q_open[q_end] = 0;
#else
    q_open[q_end] = open;
#endif
    q_end++
  }
}

inline new_entry(entry_id, k, plen, cover, result) {
  e_key[entry_id] = k;
  e_plen[entry_id] = plen;
  e_cover[entry_id] = cover;
  e_result[entry_id] = result
}

inline new_tnode(t, k, pos, bits, cover, array) {
  h_key[t] = k;
  h_pos[t] = pos;
  h_bits[t] = bits;
  h_cover[t] = cover;
  h_array[t] = array
}

inline new_descriptor(t) {
  d_key[t] = h_key[t];
  d_pos[t] = h_pos[t];
  d_bits[t] = h_bits[t];
  d_array[t] = h_array[t];
  d_cover[t] = h_cover[t]
}

// lc_trie::store_slot and put_word: the twin first, then the hot word
inline store(s, ref, word) {
  twin[s] = ref;
  hot[s] = word
}

// lc_trie::store_slot for the root holder and a top node without skipped bits
inline store_root(ref, word) {
  twin[HOLDER] = ref;
  root = word
}

// lc_trie::set_cover; a tnode without descriptor has only the first store
inline set_cover(t, cover) {
  h_cover[t] = cover;
  d_cover[t] = cover
}

#include "scenarios.pml"

proctype writer() { script() }

init {
  byte n;
  choose_address();
  d_step {
    do
    :: n < SLOTS -> hot[n] = POISON; twin[n] = POISON; n++
    :: else -> break
    od;
    n = 1;
    do
    :: n < ENTRIES -> e_key[n] = BAD; e_plen[n] = BAD; e_cover[n] = BAD; e_result[n] = BAD; n++
    :: else -> break
    od;
    n = 1;
    do
    :: n < TNODES -> h_key[n] = BAD; h_pos[n] = BAD; h_bits[n] = BAD; h_cover[n] = BAD; h_array[n] = BAD;
       d_key[n] = BAD; d_pos[n] = BAD; d_bits[n] = BAD; d_cover[n] = BAD; d_array[n] = BAD; n++
    :: else -> break
    od;
    n = 0;
    p_result = 2;
    setup_top();
    setup();
    truth[0] = TRUTH
  }
  atomic {
    run writer();
    run reader(0)
#if READERS > 1
    ;
    run reader(1)
#endif
#if READERS > 2
    ;
    run reader(2)
#endif
  }
}
