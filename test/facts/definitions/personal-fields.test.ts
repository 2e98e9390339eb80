/** Fields about people: which may be so, and the placeholders of their values, which their own rules accept. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEntity } from '../../../src/definitions/catalog.ts'
import type { EntityDefinition } from '../../../src/definitions/schemas/entity-definition.ts'
import { placeholdersOf } from '../../../src/definitions/values/placeholders.ts'
import { findingsOfEntities } from '../../support/definitions/a-project.ts'
import { entityFile } from '../../support/definitions/files.ts'
import { findingsOf } from '../../support/project-findings.ts'

const required = { required: true, personal: true }

test('each type has a placeholder, which is valid and differs where values are unique', () => {
  const fields = [
    { key: 'empty', type: 'string', personal: true },
    { key: 'other', type: 'string', required: true },
    { key: 'name', type: 'string', ...required },
    { key: 'short', type: 'string', ...required, maxLength: 8 },
    { key: 'plate', type: 'string', ...required, pattern: '[A-Z]{2}-[0-9]{3}' },
    { key: 'login', type: 'string', ...required, unique: true },
    { key: 'remark', type: 'text', ...required },
    { key: 'email', type: 'email', ...required, unique: true },
    { key: 'site', type: 'url', ...required },
    { key: 'phone', type: 'phone', ...required },
    { key: 'age', type: 'integer', ...required, min: 18 },
    { key: 'card', type: 'bigint', ...required, unique: true },
    { key: 'income', type: 'decimal', ...required, precision: 8, scale: 2 },
    { key: 'is_ill', type: 'boolean', ...required },
    { key: 'born_on', type: 'date', ...required },
    { key: 'seen_at', type: 'timestamp', ...required, min: '2000-01-01T00:00:00.000Z' },
    { key: 'faith', type: 'enum', ...required, values: ['a', 'b'], default: 'b' },
    { key: 'profile', type: 'json', ...required },
  ]
  const entity = createEntity({ key: 'person', fields } as EntityDefinition, false)
  const values = [...placeholdersOf(entity, 7, 'UTC')].map(([{ name }, value]) => [name, value])
  assert.deepEqual(Object.fromEntries(values), {
    empty: null,
    name: 'anonymised-7',
    short: 'a-7',
    plate: 'AB-123',
    login: 'anonymised-7',
    remark: 'anonymised-7',
    email: 'anonymised-7@example.invalid',
    site: 'https://example.invalid/anonymised-7',
    phone: '+38512345678',
    age: 18,
    card: '7',
    income: '0.00',
    is_ill: false,
    born_on: '1900-01-01',
    seen_at: '2000-01-01T00:00:00.000Z',
    faith: 'b',
    profile: '{}',
  })
})

test('a field that could not be anonymised is refused, and so are links and calculated fields', async () => {
  const findings = await findingsOfEntities({
    a: { fields: [{ key: 'b', type: 'string', ...required, unique: true, pattern: '[A-Z]{2}' }] },
    c: {
      fields: [
        { key: 'd', type: 'integer' },
        { key: 'e', type: 'integer', formula: 'd + 1', personal: true },
      ],
    },
    e: { fields: [{ key: 'x', type: 'file', ...required }] },
    f: { fields: [{ key: 'g', type: 'manyToOne', entity: 'a', personal: true }] },
    h: {
      fields: [{ key: 'i', type: 'enum', ...required, values: ['x'] }],
      indexes: [{ fields: ['i'], unique: true }],
    },
  })
  assert.deepEqual(findings, [
    'a: fields[0].personal cannot be: the field is required and unique, and no placeholder such as "anonymised-7" is valid for it. Leave "required" out, or allow a placeholder.',
    'c: fields[1].personal is for fields with values of their own: a calculated one follows what it reads',
    'e: fields[0].personal cannot be: the field is required, and no placeholder such as "anonymised-7" is valid for it. Leave "required" out, or allow a placeholder.',
    'f: fields[0].personal is not a known property',
    'h: fields[0].personal cannot be: the field is required and unique, and no placeholder such as "anonymised-7" is valid for it. Leave "required" out, or allow a placeholder.',
  ])
})

test('how long records are kept must be a time, of a date, and do what can be done', async () => {
  const born = { key: 'born_on', type: 'date', personal: true }
  const keep = (rule: object, fields: readonly object[] = [born]) => ({
    fields,
    retention: [{ after: '1 year', operation: 'remove', ...rule }],
  })
  const findings = await findingsOfEntities({
    fine: keep({ after: '100 years', of: 'born_on', where: { _is_deleted: true } }),
    short: keep({ after: '2 hours' }),
    long: keep({ after: '101 years' }),
    no_field: keep({ of: 'bron_on' }),
    no_date: keep({ of: 'id' }),
    nobody: keep({ operation: 'anonymise' }, []),
    user: { extends: 'native', ...keep({}) },
  })
  const time =
    'must be a number of days, weeks, months or years, such as "10 years", and at most 100 years; it is'
  assert.deepEqual(findings, [
    `long: retention[0].after ${time} "101 years"`,
    'no_date: retention[0].of "id" is neither a date nor a timestamp',
    'no_field: retention[0].of "bron_on" is not a field of no_field; did you mean "born_on"?',
    'nobody: retention[0].operation no field of nobody is personal: mark those with "personal": true, or write "remove"',
    `short: retention[0].after ${time} "2 hours"`,
    'user: retention is not possible for the native entity user',
  ])
  const asked = keep({ where: { born_no: null } })
  assert.deepEqual(await findingsOf(entityFile('a', asked, [born])), [
    'entities/a.json:1:123 retention[0].where $where.born_no: "born_no" is not a field of a; did you mean "born_on"?',
  ])
})
