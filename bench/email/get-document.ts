/** Asks the service for a PDF, over one of the connections that stay open. */
import type { MailPlace } from './mail-place.ts'

type Target = Pick<MailPlace, 'url' | 'token'>

/** Such as `/purchase_order/7/documents/purchase-order`; throws unless a PDF comes. */
export const getDocument = async ({ url, token }: Target, path: string): Promise<Uint8Array> => {
  const answer = await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${token}` } })
  const bytes = await answer.bytes()
  if (answer.headers.get('content-type') === 'application/pdf') return bytes
  throw new Error(`GET ${path} was answered ${Buffer.from(bytes)}`)
}
