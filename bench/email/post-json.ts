/** Posts to the service: a record that is created, an order that somebody takes. */
import type { MailPlace } from './mail-place.ts'

/** Throws unless it was done. */
export const postJson = async (
  { url, token }: Pick<MailPlace, 'url' | 'token'>,
  path: string,
  body?: object,
): Promise<void> => {
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${token}`,
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`POST ${path} was answered ${await answer.text()}`)
}
