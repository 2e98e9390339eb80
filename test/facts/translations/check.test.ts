/** What a translation may say, and what the check says of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLanguages } from '../../../src/definitions/translations/languages.ts'
import { findMissingTexts } from '../../../src/definitions/translations/missing-texts.ts'
import { callDocket } from '../../support/call-docket.ts'
import { findingsOf, load } from '../../support/definitions/a-project.ts'
import { writeProject } from '../../support/service.ts'
import { german, translatedProject } from '../../support/translations/a-translated-project.ts'

const withGerman = (file: object) => ({ ...translatedProject, 'translations/de.json': file })

const issuesOf = async (file: object): Promise<string[]> =>
  (await findingsOf(withGerman(file))).map((line) =>
    line.replace(/^translations\/de\.json:\S+ /, ''),
  )

test('a valid translation has no findings', async () => {
  assert.deepEqual(await findingsOf(translatedProject), [])
})

test('keys that the definitions do not have are refused, with the nearest one', async () => {
  const texts = { name: 'X' }
  assert.deepEqual(
    await issuesOf({
      entities: {
        ordr: texts,
        order: {
          fields: {
            numbr: texts,
            number: { values: { a: 'B' } },
            urgency: { values: { lwo: 'N' } },
          },
          steps: { drft: 'Entwurf' },
          actions: { sumbit: 'Einreichen' },
          imports: { odl: 'Alt' },
          columns: { Clinet: 'Kunde' },
        },
        customer: { steps: { draft: 'Entwurf' } },
      },
      menu: { dialy: 'Täglich', plain: 'Ohne Titel' },
      systemFields: { _stp: 'Schritt' },
      roles: { clrk: texts },
    }),
    [
      'entities.ordr there is no entity "ordr"; did you mean "order"?',
      'entities.order.fields.numbr there is no field "numbr"; did you mean "number"?',
      'entities.order.fields.number.values has nothing to translate: the definition has no such text',
      'entities.order.fields.urgency.values.lwo there is no value "lwo"; did you mean "low"?',
      'entities.order.steps.drft there is no step "drft"; did you mean "draft"?',
      'entities.order.actions.sumbit there is no action "sumbit"; did you mean "submit"?',
      'entities.order.imports.odl there is no import "odl"; did you mean "old"?',
      'entities.order.columns.Clinet there is no header "Clinet"; did you mean "Client"?',
      'entities.customer.steps has nothing to translate: the definition has no such text',
      'menu.dialy there is no group "dialy"; did you mean "daily"?',
      'menu.plain there is no group "plain"',
      'systemFields._stp there is no system field "_stp"; did you mean "_step"?',
      'roles.clrk there is no role "clrk"; did you mean "clerk"?',
    ],
  )
})

test('properties that no translation has, and texts of another type, are refused', async () => {
  assert.deepEqual(await issuesOf({ entites: {}, entities: { order: { nme: 'X', name: 7 } } }), [
    'entites is not a known property; did you mean "entities"?',
    'entities.order.nme is not a known property; did you mean "name"?',
    'entities.order.name must be a string, not a number',
  ])
})

test('names are one line that can be shown', async () => {
  const order = {
    name: 'Be\nstellung',
    fields: { number: { name: 'Num\u202emer', description: 'Zwei\nZeilen' } },
    columns: { Client: 'Auftrag-\ngeber' },
  }
  assert.deepEqual(await issuesOf({ entities: { order } }), [
    'entities.order.name contains a tab or a line break at position 2; use a single line',
    'entities.order.fields.number.name holds U+202E, which changes the text direction, at position 3',
  ])
})

test('two choices do not have one name', async () => {
  const values = { low: 'Hoch', high: 'Hoch' }
  const path = 'entities.order.fields.urgency.values'
  assert.deepEqual(await issuesOf({ entities: { order: { fields: { urgency: { values } } } } }), [
    `${path}.low "Hoch" already stands for another value`,
    `${path}.high "Hoch" already stands for another value`,
  ])
  // The name that the definition has, and that stays.
  const one = { high: 'Low' }
  assert.deepEqual(
    await issuesOf({ entities: { order: { fields: { urgency: { values: one } } } } }),
    [`${path}.high "Low" already stands for another value`],
  )
})

test('a file is named as its language, which is not that of the definitions', async () => {
  const tagged = async (name: string, settings: object = {}) => {
    const files = {
      ...translatedProject,
      'docket.json': { ...translatedProject['docket.json'], ...settings },
      [`translations/${name}.json`]: {},
    }
    return (await findingsOf(files)).map((line) => line.replace(/^\S+ /, ''))
  }
  assert.deepEqual(await tagged('german'), [
    'must be named as its language, such as de.json or de-AT.json; "german" is not a known language tag',
  ])
  assert.deepEqual(await tagged('fr-ca'), [
    'must be named fr-CA.json: a tag of language, script and region',
  ])
  assert.match((await tagged('en'))[0] ?? '', /^is in the language of the definitions/)
  assert.deepEqual(await tagged('en', { language: 'it' }), [])
  assert.match((await tagged('it', { locale: 'it' }))[0] ?? '', /^is in the language of the def/)
  assert.deepEqual(await tagged('it', { locale: 'it', language: 'en' }), [])
  assert.deepEqual(await tagged('fr', { language: 'xx' }), [
    'language "xx" is not a known language tag, such as "de" or "de-AT"',
  ])
})

test('a value that is named like a property of every object has the name of its own', async () => {
  const field = { key: 'a', type: 'enum', values: ['constructor', 'hasOwnProperty'] }
  const entity = { key: 'order', fields: [field] }
  const values = { hasOwnProperty: 'Eigenes' }
  const { project } = await load({
    'entities/order.json': entity,
    'translations/de.json': { entities: { order: { fields: { a: { values } } } } },
  })
  assert.ok(project)
  const found = createLanguages(project).choose(['de']).catalog.entities.get('order')
  assert.deepEqual(found?.definition.fields[0], { ...field, valueNames: values })
})

test('names that a project gives to native entities are not replaced by those of the service', async () => {
  const { project } = await load({
    'entities/user.json': { key: 'user', extends: 'native', name: 'Colleague', fields: [] },
    'translations/de.json': {},
  })
  assert.ok(project)
  const { entities } = createLanguages(project).choose(['de']).catalog
  assert.equal(entities.get('user')?.name, 'Colleague')
  assert.equal(entities.get('user')?.columnsByName.get('first_name')?.field.name, 'Vorname')
  assert.equal(entities.get('task')?.pluralName, 'Aufgaben')
})

test('definitions in German have the German words of the service', async () => {
  const { project } = await load({
    'docket.json': { language: 'de-AT' },
    'entities/order.json': { key: 'order', name: 'Bestellung', fields: [] },
  })
  assert.ok(project)
  const { language, catalog } = createLanguages(project).choose([])
  assert.equal(language, 'de-AT')
  assert.equal(catalog.entities.get('order')?.columnsByName.get('id')?.field.name, 'ID')
  assert.equal(
    catalog.entities.get('order')?.columnsByName.get('_created_by')?.field.name,
    'Angelegt von',
  )
})

test('the service has all texts of its own entities and fields in each of its languages', async () => {
  const languages = ['de', 'fr', 'hr']
  const { project } = await load({
    'docket.json': {},
    ...Object.fromEntries(languages.map((language) => [`translations/${language}.json`, {}])),
  })
  assert.ok(project)
  const { coverage } = findMissingTexts(project)
  assert.deepEqual(
    coverage.map(({ language, missing }) => [language, missing]),
    languages.map((language) => [language, 0]),
  )
  const { entities } = createLanguages(project).choose(['fr-CA']).catalog
  assert.equal(entities.get('saved_view')?.pluralName, 'Vues enregistrées')
})

test('docket check says how complete each language is', async () => {
  const { entities, ...rest } = german
  const incomplete = { ...rest, entities: { customer: entities.customer } }
  const directory = await writeProject(withGerman(incomplete))
  const { code, out } = await callDocket(['check', '--project', directory])
  assert.equal(code, 0)
  const lines = out.trimEnd().split('\n')
  assert.deepEqual(
    lines.slice(0, 2).map((line) => line.replace(/\d+/g, '#')),
    [
      'translations/de-AT.json:#:# warning: lacks # of # texts, which are shown as the definitions have them: entities.order.name, entities.order.pluralName, entities.order.description and # more',
      'translations/de.json:#:# warning: lacks # of # texts, which are shown as the definitions have them: entities.order.name, entities.order.pluralName, entities.order.description and # more',
    ],
  )
  assert.match(lines[2] ?? '', /^Language {2}Translated +Missing$/)
  assert.match(lines[3] ?? '', /^de-AT +\d+ of \d+ +17$/)
  assert.match(lines[4] ?? '', /^de +\d+ of \d+ +18$/)
  assert.equal(lines[5], 'The project is valid: 11 entities, 1 role, 2 warnings.')
})
