/** Responses with records, and their description in the OpenAPI document. */
import type { FastifyReply } from 'fastify'
import type { Entity } from '../definitions/catalog.ts'
import type { EntityPlace } from '../http/endpoint/body.ts'
import { schemaNames } from '../http/openapi/entity-schemas.ts'
import { type Answer, json, schemaRef } from '../http/openapi/operation.ts'
import type { RecordText } from './read-records.ts'
import { etagOf } from './write/lock-record.ts'

/** The name of an entity in a summary. */
export const quoted = ({ name }: Entity): string => `“${name}”`

/** A record with its entity tag. */
export const recordAnswer = (description: string, { catalog, entity }: EntityPlace): Answer =>
  json(description, schemaRef(schemaNames(catalog, entity).record), ['ETag'])

/** Sends a record that PostgreSQL printed, with its entity tag. */
export const sendRecord = (reply: FastifyReply, { json: text, version }: RecordText) =>
  reply.header('ETag', etagOf(version)).type('application/json; charset=utf-8').send(text)
