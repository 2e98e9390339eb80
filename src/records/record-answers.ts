/** Responses with records, and their description in the OpenAPI document. */
import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'
import type { Entity } from '../definitions/catalog.ts'
import type { EntityPlace } from '../http/endpoint/body.ts'
import { schemaNames } from '../http/openapi/entity-schemas.ts'
import { type Answer, json, schemaRef } from '../http/openapi/operation.ts'
import type { Access } from '../query/access.ts'
import type { RecordText } from './read-records.ts'
import { etagOf } from './write/locks/lock-record.ts'

/** Who sees records of which entity. */
type Seen = { readonly entity: Entity; readonly access: Access }

/** The name of an entity in a summary. */
export const quoted = ({ name }: Entity): string => `“${name}”`

/** A record with its entity tag. */
export const recordAnswer = (description: string, { catalog, entity }: EntityPlace): Answer =>
  json(description, schemaRef(schemaNames(catalog, entity).record), ['ETag'])

/** Names of the columns that the caller may not see. */
export const unseenBy = ({ entity, access }: Seen): readonly string[] =>
  entity.columns.filter((column) => !access.maySee(entity, column)).map(({ name }) => name)

/**
 * The entity tag of a record as the caller sees it. Of a caller who sees every field it is that of the version;
 * others have another one, so that what a browser has kept of one user is never taken for the other's.
 */
export const tagOf = (version: number, seen: Seen): string => {
  const unseen = unseenBy(seen)
  return unseen.length === 0 ? etagOf(version) : etagOf(version, digestOf(unseen))
}

const digestOf = (names: readonly string[]): string =>
  hash('sha256', names.join(), 'base64url').slice(0, 12)

/** Sends a record that PostgreSQL printed, with its entity tag. */
export const sendRecord = (reply: FastifyReply, { json: text, version }: RecordText, seen: Seen) =>
  reply.header('ETag', tagOf(version, seen)).type('application/json; charset=utf-8').send(text)
