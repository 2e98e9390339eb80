/** A project with users and its worker, which sends e-mails to the folder of the provider `file`. */
import assert from 'node:assert/strict'
import { type ParsedMail, simpleParser } from 'mailparser'
import type { Config } from '../../../src/config/load-config.ts'
import { createWorker } from '../../../src/runtime/create-worker.ts'
import { insertPerson } from '../a-person.ts'
import { createAs } from '../a-project.ts'
import { afterwards } from '../afterwards.ts'
import { type ProjectFiles, startTestService, type TestService } from '../service.ts'

export const mailOf = (name: string) => `${name}@example.com`

/** Starts it with users, each by name with the key of the role; settings are those of the worker. */
export const startMailing = async <Name extends string>(
  files: ProjectFiles,
  roleByName: Readonly<Record<Name, string>>,
  settings: Partial<Config> = {},
) => {
  const service = await startTestService(files)
  const { pool } = service.database
  const config = { ...service.config, ...settings }
  const worker = await createWorker({ ...service.runtime, config }, { watch: false })
  afterwards(() => worker.stop())
  const ids = {} as Record<Name, number>
  for (const [name, role] of Object.entries(roleByName) as [Name, string][])
    ids[name] = await insertPerson(pool, name, role)
  return {
    ...service,
    ids,
    /** Creates a record, as the administrator unless a user is named, and returns its id. */
    create: async (path: string, body: Record<string, unknown>, as?: Name): Promise<number> =>
      (await createAs(service, path, body, as && mailOf(as))).id,
    setRole: (name: Name, key: string) =>
      pool.query(
        `UPDATE records."user" SET security_role_id = (SELECT id FROM records.security_role WHERE key = $1) WHERE id = $2`,
        [key, ids[name]],
      ),
  }
}

/** The e-mails that were written, as administrators read them: all of them, or those to an address, the oldest first. */
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
