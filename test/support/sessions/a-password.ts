/** A password for tests that are about other things than what its hash costs. */
import type { Pool } from '../../../src/database/pool.ts'

export const goodPassword = 'correct horse battery'

// With the least memory and one pass: a check takes the parameters from the stored hash.
const hash =
  '$argon2id$v=19$m=8,t=1,p=1$YSBzYWx0IG9mIGEgdGVzdA$jvTvf8djd+93dQRRKHdKCQWbQQx5+Qup59Rb/i5OfGI'

/** Gives `goodPassword` to a user. */
export const givePassword = async (pool: Pool, userId: number): Promise<void> => {
  await pool.query('INSERT INTO docket.password (user_id, hash) VALUES ($1, $2)', [userId, hash])
}
