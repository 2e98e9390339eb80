/** Errors of the services are thrown in the function, with a message that names the service. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiError, validationError } from '../../../src/errors.ts'
import { answering, createFunctions, noServices } from '../../support/functions/some-functions.ts'

const cases = [
  {
    title: 'an error with one issue',
    call: "records.find('line', {})",
    services: {
      findRecords: async () => {
        throw validationError('criteria.invalid', [{ path: '$where.x', message: 'is unknown' }])
      },
    },
    message: 'services.records.find: $where.x: is unknown',
  },
  {
    title: 'an error with several issues',
    call: "records.find('line', {})",
    services: {
      findRecords: async () => {
        throw validationError('criteria.invalid', [
          { path: '$where.x', message: 'is unknown' },
          { path: '$where.y', message: 'is unknown' },
        ])
      },
    },
    message: 'services.records.find: $where.x is unknown; $where.y is unknown',
  },
  {
    title: 'an error during an export',
    call: "entityExport.export('line')",
    services: {
      exportEntity: async function* () {
        yield Buffer.alloc(10)
        throw apiError('database.unavailable', 'The database cannot be reached now.')
      },
    },
    message: 'services.entityExport.export: The database cannot be reached now.',
  },
  {
    title: 'a key that is not a string',
    call: 'records.find({ a: 1 })',
    services: {},
    message: 'services.records.find: entityKey must be a string, not object',
  },
  {
    title: 'a format that is not a string',
    call: "entityExport.export('line', {}, { format: 5 })",
    services: {},
    message: 'services.entityExport.export: format must be a string, not number',
  },
  {
    title: 'an id that is not a number',
    call: "documents.render('a', 'order', '7')",
    services: {},
    message: 'services.documents.render: entityId must be a whole number, not string',
  },
  {
    title: 'criteria that cannot be sent',
    call: "records.find('line', { $where: () => 1 })",
    services: {},
    message: '() => 1 could not be cloned.',
  },
]

for (const { title, call, services, message } of cases)
  test(`${title} is thrown in the function, which can continue`, async () => {
    const body = `try { await context.services.${call}; return 'nothing' } catch (error) { return error.message }`
    const functions = await createFunctions(
      { 'document-functions/ask.mjs': answering(body) },
      { services: { ...noServices, ...services }, maxProcesses: 1 },
    )
    assert.equal(await functions.textOf('ask'), message)
    await functions.remove()
  })
