/* The pace that a C program reaches on one core: the alias tables of a battle, its states in registers.

   yardstick TABLES BATTLES

   TABLES holds 64-bit words: the binary logarithm of the columns of a table, the number of running states, the bits of
   a state in a position, the start, then the entries (cut | result << 32 | other result << 48), a table for each
   running state and one that nothing reads. A result is a state with the jump of its counter above it.

   With 0 columns the battle is Risk: 32 words of 32 bits follow twice, the entries (cut | other row) of four columns for
   each pair of hands, and the units that each row loses both sides; a position is the units of both, 8 bits each. All
   this stays in registers; it needs AVX-512.

   Lanes have streams of their own, of splitmix64 numbers; a lane whose battle ends begins the next one at once, and the
   ends are counted afterwards. With AVX-512 sixteen battles share a register; elsewhere each one has its own. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#ifdef __AVX512DQ__
#include <immintrin.h>
#endif

#define GAMMA 0x9E3779B97F4A7C15ull
#define FIRST 0xBF58476D1CE4E5B9ull
#define SECOND 0x94D049BB133111EBull
enum { GROUPS = 4, WIDTH = 16, ROUNDS = 64, COUNTED = 1 << 20 };

static uint64_t head[4], counts[COUNTED];
static uint32_t ended[2 * ROUNDS * GROUPS * WIDTH + WIDTH];
static const uint64_t *entries;

static uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * FIRST;
    z = (z ^ z >> 27) * SECOND;
    return z ^ z >> 31;
}

#ifdef __AVX512DQ__
static __m512i streams[GROUPS][2], at[GROUPS];

static __m512i mix_all(__m512i z) {
    z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 30)), _mm512_set1_epi64(FIRST));
    z = _mm512_mullo_epi64(_mm512_xor_si512(z, _mm512_srli_epi64(z, 27)), _mm512_set1_epi64(SECOND));
    return _mm512_xor_si512(z, _mm512_srli_epi64(z, 31));
}

static void begin(void) {
    for (int g = 0; g < GROUPS; g++) {
        uint64_t key[WIDTH];
        for (int lane = 0; lane < WIDTH; lane++) key[lane] = mix(WIDTH * g + lane + 1);
        streams[g][0] = _mm512_loadu_si512(key);
        streams[g][1] = _mm512_loadu_si512(key + WIDTH / 2);
        at[g] = _mm512_set1_epi32(head[3]);
    }
}

static uint32_t walk_dice(void) {
    const __m512i evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odds = _mm512_add_epi32(evens, _mm512_set1_epi32(1)), gamma = _mm512_set1_epi64(GAMMA);
    const __m512i table = _mm512_loadu_si512(entries), tables = _mm512_loadu_si512(entries + 8);
    const __m512i loss = _mm512_loadu_si512(entries + 16), losses = _mm512_loadu_si512(entries + 24);
    const __m512i start = _mm512_set1_epi32(head[3]), own = _mm512_set1_epi32(0xFF), enemy = _mm512_slli_epi32(own, 8);
    const __m512i one = _mm512_set1_epi32(1), two = _mm512_set1_epi32(2), three = _mm512_set1_epi32(3);
    uint32_t found = 0;
    for (int round = 0; round < ROUNDS; round++)
#pragma GCC unroll 4
        for (int g = 0; g < GROUPS; g++) {
            streams[g][0] = _mm512_add_epi64(streams[g][0], gamma);
            streams[g][1] = _mm512_add_epi64(streams[g][1], gamma);
            __m512i word = mix_all(streams[g][0]), more = mix_all(streams[g][1]), here = at[g];
            for (int half = 0; half < 2; half++) {
                __m512i number = _mm512_permutex2var_epi32(word, half ? evens : odds, more);
                __m512i a = _mm512_sub_epi32(_mm512_min_epu32(_mm512_and_si512(here, own), three), one);
                __m512i d = _mm512_sub_epi32(_mm512_min_epu32(_mm512_srli_epi32(here, 8), two), one);
                __m512i hand = _mm512_slli_epi32(_mm512_add_epi32(a, _mm512_mullo_epi32(d, three)), 2);
                __m512i column = _mm512_srli_epi32(number, 30);
                __m512i entry = _mm512_permutex2var_epi32(table, _mm512_add_epi32(hand, column), tables);
                __m512i rest = _mm512_or_si512(_mm512_slli_epi32(number, 2), three);
                __mmask16 first = _mm512_cmplt_epu32_mask(rest, entry);
                __m512i row = _mm512_mask_mov_epi32(_mm512_and_si512(entry, three), first, column);
                here = _mm512_sub_epi32(here, _mm512_permutex2var_epi32(loss, _mm512_add_epi32(hand, row), losses));
                __mmask16 over = _mm512_testn_epi32_mask(here, own) | _mm512_testn_epi32_mask(here, enemy);
                _mm512_storeu_si512(ended + found, _mm512_maskz_compress_epi32(over, here));
                found += __builtin_popcount(over);
                here = _mm512_mask_mov_epi32(here, over, start);
            }
            at[g] = here;
        }
    return found;
}

static uint32_t walk(void) {
    const __m512i evens = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    const __m512i odds = _mm512_add_epi32(evens, _mm512_set1_epi32(1)), gamma = _mm512_set1_epi64(GAMMA);
    const __m512i mask = _mm512_set1_epi32((1u << head[2]) - 1), running = _mm512_set1_epi32(head[1]);
    const __m512i start = _mm512_set1_epi32(head[3]), low = _mm512_set1_epi32(0xFFFF);
    const __m128i left = _mm_cvtsi64_si128(head[0]), right = _mm_cvtsi64_si128(32 - head[0]);
    uint32_t found = 0;
    for (int round = 0; round < ROUNDS; round++)
#pragma GCC unroll 4
        for (int g = 0; g < GROUPS; g++) {
            streams[g][0] = _mm512_add_epi64(streams[g][0], gamma);
            streams[g][1] = _mm512_add_epi64(streams[g][1], gamma);
            __m512i word = mix_all(streams[g][0]), more = mix_all(streams[g][1]), here = at[g];
            for (int half = 0; half < 2; half++) {
                __m512i number = _mm512_permutex2var_epi32(word, half ? evens : odds, more);
                __m512i table = _mm512_sll_epi32(_mm512_and_si512(here, mask), left);
                __m512i place = _mm512_add_epi32(table, _mm512_srl_epi32(number, right));
                __m512i cut = _mm512_i32gather_epi32(place, entries, 8);
                __m512i both = _mm512_i32gather_epi32(place, (const char *)entries + 4, 8);
                __mmask16 first = _mm512_cmplt_epu32_mask(_mm512_sll_epi32(number, left), cut);
                __m512i to = _mm512_mask_and_epi32(_mm512_srli_epi32(both, 16), first, both, low);
                here = _mm512_add_epi32(_mm512_andnot_si512(mask, here), to);
                __mmask16 over = _mm512_cmpge_epu32_mask(_mm512_and_si512(here, mask), running);
                _mm512_storeu_si512(ended + found, _mm512_maskz_compress_epi32(over, here));
                found += __builtin_popcount(over);
                here = _mm512_mask_mov_epi32(here, over, start);
            }
            at[g] = here;
        }
    return found;
}
#else
static uint32_t walk_dice(void) { exit(3); }

static uint64_t streams[GROUPS];
static uint32_t at[GROUPS];

static void begin(void) {
    for (int g = 0; g < GROUPS; g++) {
        streams[g] = mix(g + 1);
        at[g] = head[3];
    }
}

static uint32_t walk(void) {
    const uint32_t bits = head[0], running = head[1], mask = (1u << head[2]) - 1, start = head[3];
    uint32_t found = 0;
    for (int round = 0; round < ROUNDS; round++)
        for (int g = 0; g < GROUPS; g++) {
            uint64_t word = mix(streams[g] += GAMMA);
            for (int half = 0; half < 2; half++) {
                uint32_t number = half ? (uint32_t)word : word >> 32, here = at[g];
                uint64_t entry = entries[((uint64_t)(here & mask) << bits) + (number >> (32 - bits))];
                uint32_t to = entry >> (number << bits < (uint32_t)entry ? 32 : 48) & 0xFFFF;
                here = (here & ~mask) + to;
                ended[found] = here;
                found += (here & mask) >= running;
                at[g] = (here & mask) >= running ? start : here;
            }
        }
    return found;
}
#endif

int main(int arguments, char **given) {
    FILE *file = arguments == 3 ? fopen(given[1], "rb") : NULL;
    if (!file || fread(head, sizeof *head, 4, file) != 4) return 2;
    size_t size = head[0] ? (head[1] + 1) << head[0] : 32;
    uint64_t *read = malloc(size * sizeof *read), battles = strtoull(given[2], NULL, 10), done = 0;
    if (!read || fread(read, sizeof *read, size, file) != size) return 2;
    entries = read;
    begin();
    clock_t from = clock();
    while (done < battles) {
        uint32_t found = head[0] ? walk() : walk_dice();
        for (uint32_t i = 0; i < found; i++) counts[ended[i] % COUNTED]++;
        done += found;
    }
    printf("%.9g\n", (double)(clock() - from) / CLOCKS_PER_SEC / done);
    for (uint32_t end = 0; end < COUNTED; end++)
        if (counts[end]) printf("%u %llu\n", end, (unsigned long long)counts[end]);
}
