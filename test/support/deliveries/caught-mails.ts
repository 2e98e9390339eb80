/** The e-mails that the provider `file` has written, as administrators read them. */
import assert from 'node:assert/strict'
import { type ParsedMail, simpleParser } from 'mailparser'
import type { TestService } from '../service.ts'

/** All of them, or those to an address, the oldest first. */
export const mailsOf = async ({ ask }: TestService, address = ''): Promise<ParsedMail[]> => {
  const { data } = (await ask('GET', '/api/mail')).json()
  const names = (data as { name: string }[]).map(({ name }) => name).toSorted()
  const read = async (name: string) => {
    const reply = await ask('GET', `/api/mail/${encodeURIComponent(name)}`)
    assert.equal(reply.headers.get('content-type'), 'message/rfc822')
    return simpleParser(reply.text)
  }
  return Promise.all(names.filter((name) => name.includes(address)).map(read))
}
