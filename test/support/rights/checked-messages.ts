/** What reaches users without a request of theirs for a record: notifications, e-mails with attachments, digests, rooms, calendars, streams. */
import { simpleParser } from 'mailparser'
import { openReader } from '../notifications/a-stream-reader.ts'
import { until } from '../wait.ts'
import { mailOf, type World } from './a-marked-world.ts'
import { markerOf } from './a-random-rights-project.ts'
import { type Asking, askAs, textOf } from './checked-paths.ts'
import { foreignIn, readSights, type Sight } from './sights.ts'

const checkText = (world: World, record: Asking, sight: Sight, what: string, text: string) => {
  record.count++
  const foreign = foreignIn(world, sight, text)
  if (foreign.length > 0)
    record.faults.push(`${what} of ${sight.user.name} shows ${foreign.join(', ')}`)
}

type Mail = { readonly name: string }

type Stored = {
  readonly entity_key: string
  readonly entity_id: number
  readonly content: { readonly title: string }
}

/** Notifies everybody of a record of each entity, and checks what each of them gets. */
export const checkNotifications = async (world: World, record: Asking): Promise<void> => {
  const { service, random, ask, keys, marks } = world
  const noted: { entity: string; id: number }[] = []
  for (const entity of keys) {
    const open = (await world.rowsOf(entity)).filter(
      (row) => row._is_deleted === false && row._step === 'open',
    )
    if (open.length === 0) continue
    const { id } = random.pick(open)
    const comment = markerOf(random)
    marks.set(comment, { of: 'record', entity, id, field: 'id' })
    await ask('POST', `/${entity}/${id}/proceedToStep`, { action: 'note', comment })
    noted.push({ entity, id })
  }
  await until('everything is sent', async () => {
    // Digests are due at once.
    await service.database.pool.query(
      `UPDATE docket.delivery SET due_at = now() WHERE due_at > now() AND due_at <> 'infinity'`,
    )
    const { rows } = await service.database.pool.query(
      `SELECT FROM docket.job WHERE tries = 0 OR status = 'running'
       UNION ALL SELECT FROM docket.delivery WHERE status <> 'sent'`,
    )
    return rows.length === 0
  })
  const mails = ((await ask('GET', '/api/mail')).json().data as Mail[]).map(({ name }) => name)
  for (const [name, sight] of await readSights(world)) {
    const { text } = await askAs(world, name, 'GET', '/api/notifications?limit=1000')
    checkText(world, record, sight, 'The notifications', text)
    // Of their tasks assignees are told too, whatever they read.
    const about = (JSON.parse(text) as Stored[]).flatMap(
      ({ entity_key: entity, entity_id: id, content }) =>
        content.title.startsWith('Noted') ? [`${entity}/${id}`] : [],
    )
    for (const { entity, id } of noted)
      if (about.includes(`${entity}/${id}`) !== sight.reads(entity, id))
        record.faults.push(`${name} is notified of ${entity}/${id}: ${about}`)
    for (const mail of mails.filter((one) => one.includes(mailOf(name)))) {
      const reply = await ask('GET', `/api/mail/${encodeURIComponent(mail)}`)
      checkText(world, record, sight, `The e-mail ${mail}`, await contentOf(reply.text))
    }
  }
  await checkRooms(world, record)
}

/** A room has no caller: it is told what all recipients of the event may see. */
const checkRooms = async (world: World, record: Asking): Promise<void> => {
  const { pool } = world.service.database
  const { rows } = await pool.query<{ id: number; recipients: number[] }>(
    `SELECT d.id, array_agg(e.user_id) AS recipients
     FROM docket.delivery d JOIN docket.delivery e ON e.mailing_id = d.mailing_id AND e.channel = 'email'
     WHERE d.channel IN ('slack', 'teams') GROUP BY d.id`,
  )
  const sights = [...(await readSights(world)).values()]
  for (const { id, recipients } of rows) {
    const { text } = (await world.ask('GET', `/api/deliveries/${id}/message`)).json()
    if (!world.told.includes(text)) record.faults.push(`The room was not told ${text}`)
    for (const sight of sights)
      if (recipients.includes(world.idOf(sight.user.name)))
        checkText(world, record, sight, 'A room', text)
  }
  if (rows.length === 0) record.faults.push('No room was told anything.')
  const digests = await pool.query('SELECT FROM docket.delivery WHERE digest_id IS NOT NULL')
  if (digests.rowCount === 0) record.faults.push('Nobody was sent a digest.')
}

/** All texts of an e-mail, with its headers and attachments. */
const contentOf = async (source: string): Promise<string> => {
  const { text = '', html, headerLines, attachments } = await simpleParser(source)
  const attached = await Promise.all(
    attachments.map(async ({ content, contentType, filename }) => [
      filename ?? '',
      await textOf(content, contentType),
    ]),
  )
  const headers = headerLines.map(({ line }) => line)
  return [...headers, text, html || '', ...attached.flat()].join('\n')
}

/** The feed of a calendar program, which has no token. */
export const checkCalendar = async (world: World, record: Asking, sight: Sight): Promise<void> => {
  const made = await askAs(world, sight.user.name, 'POST', '/api/tasks/calendar')
  const { url } = JSON.parse(made.text)
  const { pathname, search } = new URL(url)
  const response = await fetch(`${world.service.url}${pathname}${search}`)
  checkText(world, record, sight, 'The calendar', await response.text())
  if (response.status !== 200) record.faults.push(`The calendar is a ${response.status}`)
}

/** Changes each record while everybody watches, and checks of which each user is told. */
export const checkStreams = async (world: World, record: Asking): Promise<void> => {
  const { service, keys, ask } = world
  const sights = await readSights(world)
  const watched = [...sights.values()].map((sight) => {
    const readable = keys.filter((key) =>
      sight.user.roles.some((role) =>
        world.project.roles.some((one) => one.key === role && one.rights[key]?.read !== false),
      ),
    )
    return { sight, path: `/api/notifications/stream?watch=${readable.join(',')}` }
  })
  const open = async (path: string, email?: string) => {
    const reader = await openReader(service.url, await service.tokenOf(email), { path })
    await until('the stream has begun', () => reader.counts().length > 0)
    return reader
  }
  const toldOf = (reader: Awaited<ReturnType<typeof open>>) =>
    new Set(
      reader.events.flatMap(({ event, data }) => {
        const { entity, id } = JSON.parse(data)
        return event === 'record' ? [`${entity}/${id}`] : []
      }),
    )
  const readers = await Promise.all(
    watched.map(({ sight, path }) => open(path, mailOf(sight.user.name))),
  )
  const all = await open(`/api/notifications/stream?watch=${keys.join(',')}`)
  const changed: { entity: string; id: number }[] = []
  for (const entity of keys)
    for (const row of await world.rowsOf(entity)) {
      if (row._is_deleted !== false) continue
      changed.push({ entity, id: row.id })
      await ask('PATCH', `/${entity}/${row.id}`, { note: world.mark(entity, row.id, 'note') })
    }
  await until('everything is told', () => toldOf(all).size === changed.length)
  for (const [index, reader] of readers.entries()) {
    const sight = watched[index]?.sight
    if (!sight) continue
    const expected = changed.filter(({ entity, id }) => sight.reads(entity, id))
    await until('what the user reads is told', () => toldOf(reader).size >= expected.length)
    const told = [...toldOf(reader)].toSorted().join(' ')
    const readable = expected.map(({ entity, id }) => `${entity}/${id}`).toSorted()
    if (told !== readable.join(' '))
      record.faults.push(`${sight.user.name} is told of ${told} instead of ${readable}`)
    checkText(world, record, sight, 'The stream', reader.text())
  }
  for (const reader of [...readers, all]) reader.close()
}
