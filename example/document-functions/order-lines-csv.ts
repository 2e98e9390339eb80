/** The lines of a purchase order as CSV, with the headers that the export of the lines has. */
import type { DocumentFunction } from 'docket'

export const timeout = 5000

export const exec: DocumentFunction = async ({ entityId, record, services, log }) => {
  const data = await services.entityExport.export('purchase_order_line', {
    $where: { order: entityId },
    // A function sees all columns, but not every recipient may: so it selects the columns to send.
    $select: ['line_code', 'product.sku', 'product.name', 'quantity', 'product.unit', 'unit_price', 'discount', 'amount', 'remark'],
    $orderBy: ['position'],
  })
  log.info(`${record.number}: ${data.byteLength} bytes of lines`)
  return { documents: [{ filename: `${record.number}-lines.csv`, mimetype: 'text/csv', data }] }
}
