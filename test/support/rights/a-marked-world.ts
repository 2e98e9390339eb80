/**
 * A service of a random catalogue whose rows have a marker or a number of their own in every field that a role may hide. Nobody
 * guesses them: an answer that contains one shows that field of that row.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as textOf } from 'node:stream/consumers'
import { createWorker } from '../../../src/runtime/create-worker.ts'
import { addRole, insertPerson } from '../a-person.ts'
import { afterwards } from '../afterwards.ts'
import { createRandom, type Random } from '../fuzz/random.ts'
import { startTestService, type TestService } from '../service.ts'
import { uploadFile } from '../uploads.ts'
import {
  markerOf,
  numberOf,
  type RandomProject,
  type RandomUser,
  randomProject,
  teams,
} from './a-random-rights-project.ts'
import { kinds, levels, type Shape } from './random-conditions.ts'

/** What a marker stands for: fields of a record, tasks of and comments on a record, or a view of a user. */
export type Mark =
  | { readonly of: 'record'; readonly entity: string; readonly id: number; readonly field: string }
  | { readonly of: 'task'; readonly id: number }
  | ({ readonly of: 'comment' } & Comment)
  | { readonly of: 'view'; readonly owner: string }
  /** The name of a field. */
  | { readonly of: 'name'; readonly field: string }

type Comment = {
  readonly id: number
  readonly entity: string
  readonly recordId: number
  readonly isInternal: boolean
}

/** A row as it is stored. */
export type Row = Readonly<Record<string, unknown>> & { readonly id: number }

type Task = {
  readonly id: number
  readonly places: readonly { readonly entity: string; readonly id: number }[]
  readonly assignee: string | undefined
}

export type World = {
  readonly service: TestService
  readonly random: Random
  readonly project: RandomProject
  readonly marks: Map<string, Mark>
  readonly tasks: Task[]
  /** Files of records, also of fields that have them no more; their names and their bytes have markers. */
  readonly files: { readonly entity: string; readonly fileId: number }[]
  readonly comments: Comment[]
  /** What the room was told, in Slack and in Teams. */
  readonly told: readonly string[]
  readonly idOf: (name: string) => number
  /** The keys of the entities of the catalogue. */
  readonly keys: readonly string[]
  /** The entities whose records have owners. */
  readonly owned: readonly string[]
  readonly rowsOf: (entity: string) => Promise<readonly Row[]>
  /** A new marker of a field of a record. */
  readonly mark: (entity: string, id: number, field: string) => string
  /** Sends a request that has to succeed, as the administrator. */
  readonly ask: (method: string, path: string, body?: object) => ReturnType<TestService['ask']>
  readonly stop: () => Promise<void>
}

export const mailOf = (name: string): string => `${name}@example.com`

const rowsPerEntity = 6

/** A server that rooms of chats are told at. */
const openRoom = async () => {
  const told: string[] = []
  const server = createServer(async (request, response) => {
    told.push(await textOf(request))
    response.end('ok')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterwards(async () => {
    server.closeAllConnections()
    server.close()
  })
  const address = `all=http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const settings = {
    SLACK_ROOM_URLS: address,
    TEAMS_ROOM_URLS: address,
    WEBHOOK_PRIVATE_ADDRESSES: 'true',
  }
  return { told, settings }
}

/** Starts it for a seed. */
export const startWorld = async (seed: number): Promise<World> => {
  const random = createRandom(seed)
  const project = randomProject(random)
  const room = await openRoom()
  const service = await startTestService(project.files, {
    EMAIL_PROVIDER: 'file',
    REQUESTS_PER_CALLER: '0',
    REQUESTS_PER_ADDRESS: '0',
    WRONG_CREDENTIALS_PER_ADDRESS: '0',
    ...room.settings,
  })
  const worker = await createWorker(service.runtime, { watch: false })
  const stopWorker = afterwards(() => worker.stop())
  const { pool } = service.database
  const ids = new Map([['admin', 1]])
  for (const { name, roles } of project.users) {
    const [first = '', ...others] = roles
    const id = await insertPerson(pool, name, first)
    ids.set(name, id)
    for (const key of others) await addRole(pool, id, key)
  }
  const idOf = (name: string): number => {
    const id = ids.get(name)
    assert.ok(id, `There is no user ${name}.`)
    return id
  }
  const marks = new Map<string, Mark>(
    Object.values(project.secrets).map((field) => [field, { of: 'name', field }]),
  )
  const keys = project.shapes.map(({ key }) => key)
  const world: World = {
    service,
    random,
    project,
    marks,
    tasks: [],
    files: [],
    comments: [],
    told: room.told,
    idOf,
    keys,
    owned: keys.filter((key) => service.project.catalog.entities.get(key)?.hasOwner),
    rowsOf: async (entity) =>
      (await pool.query<Row>(`SELECT * FROM records."${entity}" ORDER BY id`)).rows,
    mark: (entity, id, field) => {
      const made = markerOf(random)
      marks.set(made, { of: 'record', entity, id, field })
      return made
    },
    ask: async (method, path, body) => {
      const reply = await service.ask(method, path, body && { body })
      assert.ok(reply.status < 300, `${method} ${path}: ${reply.status} ${reply.text}`)
      return reply
    },
    stop: async () => {
      await stopWorker()
      await service.stop()
    },
  }
  await addTeams(world)
  for (const shape of project.shapes) await addRows(world, shape)
  for (const shape of project.shapes) await changeRows(world, shape)
  for (const key of keys) await addFiles(world, key)
  for (const user of project.users) await addToUser(world, user)
  for (const { name } of project.users.slice(1)) await wantDigests(world, name)
  for (const key of keys)
    if (random.chance(0.6)) await world.ask('DELETE', `/${key}/${1 + random.below(rowsPerEntity)}`)
  await addParts(world)
  return world
}

const addTeams = async ({ ask, idOf, project: { users } }: World) => {
  for (const name of [...teams, 'everybody']) {
    const { id } = (await ask('POST', '/user_group', { code: name, name })).json()
    for (const user of users)
      if (name === 'everybody' || user.teams.some((team) => team === name))
        await ask('POST', '/user_group_member', { user_id: idOf(user.name), user_group_id: id })
  }
}

const pickOrNull = <T>(random: Random, items: readonly T[]): T | null =>
  random.chance(0.85) ? random.pick(items) : null

const amountOf = ({ random, marks }: World, entity: string, id: number, field: string): number => {
  const number = numberOf(random)
  marks.set(String(number), { of: 'record', entity, id, field })
  return number
}

const addRows = async (world: World, { key, links }: Shape) => {
  const { random, ask, idOf, project } = world
  const groups = await world.rowsOf('user_group')
  const ups = links.up ? await world.rowsOf(links.up) : []
  for (let id = 1; id <= rowsPerEntity; id++) {
    const body = {
      mark: world.mark(key, id, 'mark'),
      note: world.mark(key, id, 'note'),
      amount: amountOf(world, key, id, 'amount'),
      level: pickOrNull(random, [...Array(levels).keys()]),
      is_on: pickOrNull(random, [true, false]),
      kind: pickOrNull(random, kinds),
      due_on: pickOrNull(random, ['2020-02-02', '2120-02-02']),
      meta: { mark: world.mark(key, id, 'meta') },
      [project.secrets.text]: world.mark(key, id, project.secrets.text),
      [project.secrets.amount]: `${amountOf(world, key, id, project.secrets.amount)}.25`,
      holder_id: pickOrNull(
        random,
        project.users.map(({ name }) => idOf(name)),
      ),
      team_id: pickOrNull(
        random,
        groups.map((group) => group.id),
      ),
      ...(links.up && {
        up_id: pickOrNull(
          random,
          ups.map((row) => row.id),
        ),
      }),
    }
    assert.equal((await ask('POST', `/${key}`, body)).json().id, id)
  }
}

/** Links aside, a change that the history tells, other creators and owners, and rows of a later step. */
const changeRows = async (world: World, { key, links }: Shape) => {
  const { random, ask, idOf, project } = world
  const someone = () => idOf(random.pick([...project.users.map(({ name }) => name), 'admin']))
  const peers = await world.rowsOf(links.peer ?? '')
  for (let id = 1; id <= rowsPerEntity; id++) {
    await ask('PATCH', `/${key}/${id}`, {
      peer_id: pickOrNull(
        random,
        peers.map((row) => row.id),
      ),
      note: world.mark(key, id, 'note'),
    })
    if (random.chance(0.25)) await ask('POST', `/${key}/${id}/proceedToStep`, { action: 'approve' })
    const owner = world.owned.includes(key) ? ', _owned_by = $3' : ''
    await world.service.database.pool.query(
      `UPDATE records."${key}" SET _created_by = $2${owner} WHERE id = $1`,
      [id, someone(), ...(owner ? [someone()] : [])],
    )
  }
}

const addToUser = async (world: World, { name, rank, home }: RandomUser) => {
  const { idOf, ask, marks, service, random } = world
  const id = idOf(name)
  await ask('PATCH', `/user/${id}`, {
    rank,
    home_id: home === null ? null : home + 1,
    job_title: world.mark('user', id, 'job_title'),
    phone: world.mark('user', id, 'phone'),
  })
  const view = markerOf(random)
  marks.set(view, { of: 'view', owner: name })
  const body = { entity_key: 'e0', name: view, criteria: {} }
  // A role that touches no record of e0 has no view of it.
  await service.ask('POST', '/saved_view', { body, as: mailOf(name) })
}

/** What the user is told of by e-mail comes once a day. */
const wantDigests = async ({ service }: World, name: string) => {
  const path = '/api/notifications/preferences'
  const as = mailOf(name)
  const { data } = (await service.ask('GET', path, { as })).json(200)
  const daily = data.map((one: object) => ({ ...one, email: 'daily' }))
  assert.equal((await service.ask('PUT', path, { as, body: { data: daily } })).status, 200)
}

/** A file that is there, one that the field had before, and one of several, of some records. */
const addFiles = async (world: World, entity: string) => {
  const { ask, service, files } = world
  for (const id of [1, 2, 3]) {
    const upload = (field: string) =>
      uploadFile(service, `${world.mark(entity, id, field)}.txt`, world.mark(entity, id, field))
    const bodies = [
      { scan: await upload('scan') },
      { scan: await upload('scan'), photos: [await upload('photos')] },
    ]
    for (const body of bodies) {
      const { scan, photos } = (await ask('PATCH', `/${entity}/${id}`, body)).json()
      for (const { id: fileId } of [scan, ...photos]) files.push({ entity, fileId })
    }
  }
}

/** Tasks of the records, comments on them with files, and a document of each entity. */
const addParts = async (world: World) => {
  const { random, ask, idOf, marks, keys, project, service, files } = world
  for (const key of keys) {
    const document = { code: key, name: 'Document', entity_key: key, template_file: `${key}.typ` }
    await ask('POST', '/printable_document', document)
    const present = (await world.rowsOf(key)).filter((row) => row._is_deleted === false)
    for (const isInternal of [false, true]) {
      const recordId = random.pick(present).id
      const [text, content] = [markerOf(random), markerOf(random)]
      const upload = await uploadFile(service, `${content}.txt`, content)
      const body = { text, is_internal: isInternal, files: [upload] }
      const said = (await ask('POST', `/${key}/${recordId}/comment`, body)).json()
      const comment = { id: said.id, entity: key, recordId, isInternal }
      world.comments.push(comment)
      for (const marker of [text, content]) marks.set(marker, { of: 'comment', ...comment })
      files.push({ entity: key, fileId: said.files[0].id })
    }
    for (const { id } of [random.pick(present), random.pick(present)]) {
      const related = random.pick(keys)
      const other = (await world.rowsOf(related)).find((row) => row._is_deleted === false)
      const assignee = pickOrNull(random, project.users)?.name
      const description = markerOf(random)
      const reply = await ask('POST', `/${key}/${id}/task`, {
        description,
        due_date: '2120-02-01 09:00:00',
        ...(assignee !== undefined && { assigne_id: idOf(assignee) }),
        ...(other && { related_entities: [{ key: related, entity_id: other.id }] }),
      })
      const task = {
        id: reply.json().id,
        assignee,
        places: [{ entity: key, id }, ...(other ? [{ entity: related, id: other.id }] : [])],
      }
      world.tasks.push(task)
      marks.set(description, { of: 'task', id: task.id })
    }
  }
}
