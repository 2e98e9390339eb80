/** The console in a browser: what a list loads, how long users wait, and a list of all records while it scrolls. */
import type { Environment } from '../environment.ts'
import { fill } from '../fill.ts'
import { fillInvoices } from '../invoices.ts'
import { note, type Table } from '../report.ts'
import { launchBrowser, type Visitor } from './browser.ts'
import { measureExporting } from './exporting.ts'
import { measureFinding } from './finding.ts'
import { measureSize } from './first-load.ts'
import { measureScrolling } from './scrolling.ts'
import { measureDay, measureSlowConnection } from './vitals.ts'
import { measureWaits } from './waits.ts'

const insertClerk = `
  INSERT INTO records."user" (identity_provider_user_id, first_name, last_name, full_name, username, email, security_role_id)
  SELECT 'clerk', 'Ana', 'Clerk', 'Ana Clerk', 'clerk', 'clerk@example.com', r.id
  FROM records.security_role r WHERE r.key = 'clerk'`

/** Every measurement, as an administrator and as a clerk, who has a hidden field and changes own records alone. */
export const benchConsole = async (environment: Environment, rows: number): Promise<Table[]> => {
  await fillInvoices(environment, rows)
  const service = await environment.startService()
  await fill(environment, 'a clerk', [insertClerk])
  const found = await environment.pool.query<{ id: number }>(
    `SELECT id FROM records."user" WHERE username = 'clerk'`,
  )
  const browser = await launchBrowser()
  try {
    const visitorOf = (userId: number): Visitor => ({ environment, service, browser, userId })
    const administrator = visitorOf(1)
    const clerk = visitorOf(found.rows[0]?.id ?? 0)
    const size = await measureSize(administrator)
    note('Measured: sizes.\n')
    const both = async <T>(measure: (visitor: Visitor, role: string) => Promise<readonly T[]>) => [
      ...(await measure(administrator, 'administrator')),
      ...(await measure(clerk, 'clerk')),
    ]
    const waits = await both(measureWaits)
    note('Measured: waits.\n')
    const slow = await both(measureSlowConnection)
    const day = await both(measureDay)
    note('Measured: a slow connection, a day.\n')
    const scrolling = await both(measureScrolling)
    note('Measured: scrolling.\n')
    const finding = await both((visitor, role) => measureFinding(visitor, role, rows))
    note('Measured: finding.\n')
    const exporting = await measureExporting(administrator, 'administrator')
    return [
      size,
      { title: 'Waits on a processor that is slowed down four times', rows: waits },
      { title: 'The same over 1.6 Mbit/s and 150 ms, with an empty cache', rows: slow },
      { title: 'A day of work on a processor that is slowed down four times', rows: day },
      {
        title: `A list of ${rows.toLocaleString('en')} invoices, 12 columns, 4 over links`,
        rows: scrolling,
      },
      {
        title: `A record found by the search, among ${rows.toLocaleString('en')} invoices, from the last key`,
        rows: finding,
      },
      { title: `An export of ${rows.toLocaleString('en')} invoices`, rows: exporting },
    ]
  } finally {
    await browser.close()
  }
}
