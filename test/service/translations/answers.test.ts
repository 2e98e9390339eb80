/** The names of the definitions in the language that a caller asks for. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { addUser } from '../../support/a-project.ts'
import { opened } from '../../support/afterwards.ts'
import { callDocket } from '../../support/call-docket.ts'
import { exportOf, readCells } from '../../support/export-request.ts'
import { startTestService } from '../../support/service.ts'
import { translatedProject } from '../../support/translations/a-translated-project.ts'

const service = opened(() => startTestService(translatedProject))
before(async () => {
  const { ask } = service
  await ask('POST', '/customer', { body: { name: 'Adria' } })
  await ask('POST', '/order', { body: { number: 'A-1', urgency: 'high', customer_id: 1 } })
  await ask('POST', '/order', { body: { number: 'A-2', urgency: 'low' } })
  await ask('POST', '/order/2/proceedToStep', { body: { action: 'submit' } })
  await addUser(service.database, 'clerk@example.com')
})

const askIn = (language: string | undefined, path: string, as?: string) =>
  service.ask('GET', path, {
    ...(as && { as }),
    headers: language === undefined ? {} : { 'Accept-Language': language },
  })

type Named = { readonly key: string; readonly name: string }
const nameOf = (all: readonly Named[], key: string) => all.find((one) => one.key === key)?.name

test('an entity has its names, descriptions, units, choices, steps and actions in the language', async () => {
  const reply = await askIn('de', '/api/entities/order')
  assert.equal(reply.headers.get('content-language'), 'de')
  assert.match(reply.headers.get('vary') ?? '', /Accept-Language/)
  const entity = reply.json()
  assert.deepEqual(
    [entity.name, entity.pluralName, entity.description],
    ['Bestellung', 'Bestellungen', 'Was Kunden wollen.'],
  )
  const [, number, urgency, weight] = entity.fields
  assert.deepEqual([number.name, number.description], ['Nummer', 'Wie auf dem Papier.'])
  assert.deepEqual(urgency.valueNames, { low: 'Niedrig', high: 'Hoch' })
  assert.deepEqual([weight.key, weight.unit], ['weight', 'Stück'])
  const { steps } = entity.workflow
  assert.equal(nameOf(steps, 'review'), 'In Prüfung')
  assert.equal(nameOf(steps[0].actions, 'submit'), 'Einreichen')
  assert.equal(nameOf(entity.roles, 'clerk'), 'Sachbearbeitung')
})

test('a caller learns the name of their role in the language, and its key in every one', async () => {
  for (const [language, caller, role, name] of [
    ['en', 'clerk@example.com', 'clerk', 'Clerk'],
    ['de', 'clerk@example.com', 'clerk', 'Sachbearbeitung'],
    ['de', undefined, 'administrator', 'Administrator'],
  ] as const) {
    const me = (await askIn(language, '/api/me', caller)).json()
    assert.deepEqual([me.role, me.role_name], [role, name])
  }
})

test('fields and entities of the service itself have German and Croatian names where a project has the language', async () => {
  const { data } = (await askIn('de', '/api/entities')).json()
  const [order, user] = ['order', 'user'].map((key) => data.find((one: Named) => one.key === key))
  assert.equal(nameOf(order.fields, '_created_at'), 'Angelegt am')
  assert.equal(nameOf(user.fields, 'first_name'), 'Vorname')
  // Nobody translated this project into Croatian.
  const croatian = await askIn('hr', '/api/entities/order')
  assert.equal(croatian.headers.get('content-language'), 'en')
  assert.equal(nameOf(croatian.json().fields, '_created_at'), 'Created at')
})

test('entities come in the order of the menu, then by their names in the language, each with its group', async () => {
  const menuIn = async (language: string, as?: string) => {
    const { data } = (await askIn(language, '/api/entities', as)).json()
    return data.map(
      ({ key, pluralName, menuGroup, isHiddenInMenu }: Record<string, never>) =>
        `${key} ${pluralName}: ${menuGroup ? (menuGroup as { name: string }).name : isHiddenInMenu ? 'hidden' : '-'}`,
    )
  }
  assert.deepEqual((await menuIn('de')).slice(0, 5), [
    'task Aufgaben: Täglich',
    'order Bestellungen: Täglich',
    'customer Kunden: null',
    'user Benutzer: hidden',
    'user_group Benutzergruppen: -',
  ])
  assert.deepEqual((await menuIn('en')).slice(0, 5), [
    'task Tasks: Daily',
    'order Orders: Daily',
    'customer Customers: null',
    'comment Comments: -',
    'printable_document Printable documents: -',
  ])
  assert.ok((await menuIn('en')).includes('security_role Security roles: hidden'))
})

test('the best of the wanted languages is chosen, and a region has what its language has', async () => {
  const languageOf = async (wanted: string | undefined) => {
    const reply = await askIn(wanted, '/api/entities/order')
    const urgency = nameOf(reply.json().fields, 'urgency')
    return `${reply.headers.get('content-language')} ${urgency} ${reply.json().name}`
  }
  const [english, german] = ['en Urgency Order', 'de Dringlichkeit Bestellung']
  for (const [wanted, expected] of [
    [undefined, english],
    ['fr', english],
    ['*', english],
    ['fr, de;q=0.5, en;q=0.8', english],
    ['de;q=0, en', english],
    [`${'x-'.repeat(1000)}, de`, english],
    ['de-CH', german],
    ['DE', german],
    ['fr, de;q=0.5', german],
    ['constructor, __proto__, ;;q=, de-DE-u-nu-thai', german],
    ['de-AT, de;q=0.9', 'de-AT Eiligkeit Bestellung'],
  ] as const)
    assert.equal(await languageOf(wanted), expected, String(wanted))
})

test('what a role may not see is not named in any language', async () => {
  const reply = await askIn('de', '/api/entities', 'clerk@example.com')
  assert.equal(reply.status, 200)
  assert.match(reply.text, /Bestellung/)
  assert.doesNotMatch(reply.text, /Geheimnis|Secret|secret/)
  const file = await exportOf(service, '/order/export?names=true', {
    as: 'clerk@example.com',
    headers: { 'Accept-Language': 'de' },
  })
  assert.doesNotMatch(file.text, /Geheimnis|Secret/)
})

test('so have open actions with steps and forms, approvals, and what the console reads before a sign-in', async () => {
  const reply = await askIn('de', '/order/1/actions')
  assert.equal(reply.headers.get('content-language'), 'de')
  const { step, data } = reply.json()
  assert.equal(step.name, 'Entwurf')
  assert.deepEqual([data[0].name, data[0].to.name], ['Einreichen', 'In Prüfung'])
  assert.equal(data[0].form.fields[0].name, 'Gewicht')
  const approvals = await askIn('de', '/api/approvals')
  assert.equal(approvals.headers.get('content-language'), 'de')
  const [approval] = approvals.json().data
  assert.deepEqual([approval.step.name, approval.actions[0].name], ['In Prüfung', 'Genehmigen'])
  assert.equal((await askIn('de', '/console/-/config.json')).json().name, 'Laden')
  assert.equal((await askIn('en', '/console/-/config.json')).json().name, 'Shop')
})

test('an export with names has heads, choices and steps in the language; a file for machines is always the same', async () => {
  const headers = { 'Accept-Language': 'de' }
  const named = await exportOf(service, '/order/export?names=true', { headers })
  assert.equal(named.headers['content-language'], 'de')
  assert.match(named.headers.vary ?? '', /Accept-Language/)
  assert.deepEqual(readCells(named.text), [
    ['Nummer', 'Auftraggeber', 'Dringlichkeit', 'Geheimnis', 'Schritt'],
    ['A-1', 'Adria', 'Hoch', null, 'Entwurf'],
    ['A-2', null, 'Niedrig', null, 'In Prüfung'],
  ])
  const plain = await exportOf(service, '/order/export', { headers })
  assert.equal(plain.headers['content-language'], undefined)
  assert.deepEqual(plain.bytes, (await exportOf(service, '/order/export')).bytes)
  assert.deepEqual(readCells(plain.text).slice(0, 2), [
    ['Number', 'Client', 'urgency', 'Secret', 'Step'],
    ['A-1', 'Adria', 'high', null, 'draft'],
  ])
})

test('docket export has the names of the language that it is given', async () => {
  const args = ['export', 'order', '--url', service.url, '--names']
  const names = async (...more: string[]) => {
    const { code, out, err } = await callDocket([...args, ...more], {
      PROJECT: service.config.PROJECT,
      TOKEN: await service.tokenOf(),
    })
    assert.equal(code, 0, err)
    return readCells(out)[0]
  }
  assert.deepEqual((await names('--language', 'de'))?.slice(0, 2), ['Nummer', 'Auftraggeber'])
  assert.deepEqual((await names())?.slice(0, 2), ['Number', 'Client'])
})

test('the columns of an export say their header in the file and their label in the language', async () => {
  const { exportSettings } = (await askIn('de', '/api/entities/order')).json()
  assert.deepEqual(
    exportSettings.columnDefs.map(({ headerName, label }: Record<string, string>) => [
      ...[headerName, label],
    ]),
    [
      ['Number', 'Nummer'],
      ['Client', 'Auftraggeber'],
      ['urgency', 'Dringlichkeit'],
      ['Secret', 'Geheimnis'],
      ['Step', 'Schritt'],
    ],
  )
})

test('errors stay in English', async () => {
  const reply = await askIn('de', '/api/entities/ordr')
  assert.equal(reply.status, 404)
  assert.match(reply.text, /There is no entity \\"ordr\\"; did you mean \\"order\\"\?/)
})
