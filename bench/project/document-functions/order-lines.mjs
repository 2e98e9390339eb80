/** The lines of an order as CSV. Its log shows how often it was called. */
export const timeout = 5000

export const exec = async ({ entityId, record, services, log }) => {
  log.info(`called for ${record.number}`)
  const lines = await services.records.find('purchase_order_line', {
    $where: { order: entityId },
    $orderBy: ['position'],
    $select: ['position', 'product.sku', 'quantity', 'amount'],
  })
  const rows = lines.map(({ position, product, quantity, amount }) =>
    [position, product.sku, quantity, amount].join(','),
  )
  const data = Buffer.from(`${['position,sku,quantity,amount', ...rows].join('\r\n')}\r\n`)
  return { documents: [{ filename: `${record.number}.csv`, mimetype: 'text/csv', data }] }
}
