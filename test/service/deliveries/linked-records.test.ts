/** A template that prints a record without a field prints its display field. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { simpleParser } from 'mailparser'
import { startWorkerThread } from '../../../src/runtime/start-worker-thread.ts'
import { startTestService, type TestService, writeProject } from '../../support/service.ts'
import { until } from '../../support/wait.ts'

const printed = '{{ record.vehicle }}, {{ record.vehicle.plate }}, {{ record.depot }}'
const files = {
  'entities/vehicle.json': {
    key: 'vehicle',
    displayField: 'plate',
    fields: [{ key: 'plate', type: 'string' }],
  },
  'entities/depot.json': { key: 'depot', name: 'Depot', fields: [{ key: 'city', type: 'string' }] },
  // Its display field is a link to another record.
  'entities/booking.json': {
    key: 'booking',
    displayField: 'vehicle',
    fields: [{ key: 'vehicle', type: 'manyToOne', entity: 'vehicle' }],
  },
  'entities/repair.json': {
    key: 'repair',
    displayField: 'vehicle',
    fields: [
      { key: 'vehicle', type: 'manyToOne', entity: 'vehicle' },
      { key: 'depot', type: 'manyToOne', entity: 'depot' },
      { key: 'booking', type: 'manyToOne', entity: 'booking' },
    ],
    hooks: [{ type: 'message', hookType: 'AfterChange', functionName: '_sendNotificationHandler' }],
    notifications: [
      {
        operation: 'create',
        emailTemplateId: 'own',
        recipient: { userFields: ['_created_by'] },
        content: {
          title: `${printed}, {{ record.booking }} by {{ actor.full_name }}`,
          message:
            '{% if record.vehicle %}a vehicle{% else %}none{% endif %}, {{ record.vehicle | upcase }}',
        },
      },
    ],
  },
  'email-templates/own.mjml': `---
subject: "${printed}"
---
<mjml><mj-body><mj-section><mj-column><mj-text>Of ${printed}.</mj-text></mj-column></mj-section></mj-body></mjml>
`,
}

let service: TestService
before(async () => {
  service = await startTestService(await writeProject(files))
})
after(() => service.stop())

const create = async (path: string, body: object): Promise<number> => {
  const reply = await service.ask('POST', path, { body })
  assert.equal(reply.status, 201, reply.text)
  return reply.json().id
}

test('a record is printed as its display field in notifications and e-mails, or else as entity name and id', async (t) => {
  const worker = await startWorkerThread(service.runtime, { watch: false })
  t.after(() => worker.stop())
  const vehicle_id = await create('/vehicle', { plate: 'ZG-1 <b>' })
  const depot_id = await create('/depot', { city: 'Split' })
  const booking_id = await create('/booking', { vehicle_id })
  await create('/repair', { vehicle_id, depot_id, booking_id })
  await create('/repair', {})
  const mails = await until('both e-mails are sent', async () => {
    const { data } = (await service.ask('GET', '/api/mail')).json()
    return data.length === 2 && (data as { name: string }[])
  })
  const texts = await Promise.all(
    mails.map(async ({ name }) =>
      simpleParser((await service.ask('GET', `/api/mail/${name}`)).text),
    ),
  )
  const subjects = texts.map(({ subject }) => subject)
  assert.deepEqual(subjects.toSorted(), [', ,', `ZG-1 <b>, ZG-1 <b>, Depot ${depot_id}`])
  const body = texts.find(({ subject }) => subject?.startsWith('ZG'))
  assert.match(body?.text ?? '', new RegExp(`Of ZG-1 <b>, ZG-1 <b>, Depot ${depot_id}\\.`))
  const inbox = (await service.ask('GET', '/api/notifications?sortOrder=asc')).json()
  const contents = inbox.map(({ content }: { content: { title: string; message: string } }) => [
    content.title,
    content.message,
  ])
  assert.deepEqual(contents, [
    [`ZG-1 <b>, ZG-1 <b>, Depot ${depot_id}, ZG-1 <b> by Administrator`, 'a vehicle, ZG-1 <B>'],
    [', , ,  by Administrator', 'none,'],
  ])
})
