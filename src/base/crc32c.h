/* SPDX-License-Identifier: Apache-2.0 */
/* crc32c.h -- the CRC-32C checksum (Castagnoli; RFC 3720, appendix B.4). */
#ifndef LW_BASE_CRC32C_H
#define LW_BASE_CRC32C_H

#include <stddef.h>
#include <stdint.h>

/* Returns the checksum of the bytes whose checksum is |crc| (0 for none) followed by |len| more;
 * |bytes| may be NULL if |len| is 0.  Uses the instruction of the CPU if it has one. */
uint32_t lw_crc32c(uint32_t crc, const void *bytes, size_t len);

/* The same without the instruction: what other CPUs run, and what the tests compare with. */
uint32_t lw_crc32c_scalar(uint32_t crc, const void *bytes, size_t len);

#endif
