/** A list of 30,000 orders of 20 customers, and pages of it. */
import { openPage } from '../../support/browser.ts'
import { orderProject } from '../../support/console/an-order-project.ts'
import { shareService, startTestService } from '../../support/service.ts'

const shared = shareService(async () => {
  const service = await startTestService(orderProject)
  await service.database.pool.query(
    `INSERT INTO records.customer (name, _created_by, _updated_by) SELECT 'Customer ' || n, 1, 1 FROM generate_series(1, 20) n`,
  )
  await service.database.pool.query(
    `INSERT INTO records."order" (number, customer_id, total, status, ordered_on, _created_by, _updated_by)
     SELECT 'O-' || lpad(n::text, 6, '0'), 1 + n % 20, n + 0.5, CASE WHEN n % 2 = 0 THEN 'open' ELSE 'paid' END,
       date '2026-01-01' + n % 300, 1, 1
     FROM generate_series(1, 30000) n`,
  )
  return service
})

/** The orders are `O-000001` and following; those with even numbers are open, the others paid. No file changes them for long. */
export const startOrderList = async () => {
  const service = await shared()
  const openList = async (search = '') => {
    const opened = await openPage(service, `/console/order${search}`)
    await opened.page.getByRole('gridcell').first().waitFor()
    return opened
  }
  return { service, openList }
}
