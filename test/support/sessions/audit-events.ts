/** The audit events of one user. */
import type { TestService } from '../service.ts'

type Event = readonly [kind: string, detail: Readonly<Record<string, unknown>>]

/** Those that they made or that concern them, in their order. */
export const auditEventsOf = async (
  { database: { pool } }: Pick<TestService, 'database'>,
  userId: number,
): Promise<readonly Event[]> => {
  const { rows } = await pool.query<{ kind: string; detail: string }>(
    'SELECT a.kind, a.detail FROM docket.audit a WHERE a.user_id = $1 OR a.about_user_id = $1 ORDER BY a.id',
    [userId],
  )
  return rows.map(({ kind, detail }) => [kind, JSON.parse(detail)] as const)
}
