/** One attachment of 50 KB, different for each record. */
export const timeout = 5000

export const exec = ({ entityKey, entityId }) => {
  const line = `${entityKey} ${entityId}: The quick brown fox jumps over the lazy dog.\r\n`
  const data = Buffer.alloc(50_000, line)
  return { documents: [{ filename: `${entityKey}-${entityId}.txt`, mimetype: 'text/plain', data }] }
}
