/** A record that does not exist yet: its values, and creating it once however often it is sent. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { request } from '../../api/client.ts'
import { isRefusal, newIdempotencyKey } from '../../api/idempotency-key.ts'
import { userKey } from '../../api/queries.ts'
import type { Entity, Field, RecordRow } from '../../api/types.ts'

type Values = ReadonlyMap<string, unknown>

/** What the service would set where nothing is given. */
const defaultsOf = ({ fields }: Entity): Values =>
  new Map(
    fields.flatMap(({ column, default: value }: Field) =>
      column !== null && value !== undefined && value !== null ? [[column, value] as const] : [],
    ),
  )

export const useNewRecord = (entity: Entity, given: readonly (readonly [string, unknown])[]) => {
  const client = useQueryClient()
  const initial = () => new Map([...defaultsOf(entity), ...given])
  const [values, setValues] = useState<Values>(initial)
  // The same for every attempt whose answer did not come.
  const key = useRef(newIdempotencyKey())
  const create = useMutation({
    mutationFn: () =>
      request<RecordRow>(`/${entity.key}`, {
        method: 'POST',
        headers: { 'Idempotency-Key': key.current },
        body: Object.fromEntries([...values].filter(([, value]) => value !== null)),
      }),
    onSuccess: () => void client.invalidateQueries({ queryKey: [userKey, 'list', entity.key] }),
    onError: (error) => {
      if (isRefusal(error)) key.current = newIdempotencyKey()
    },
  })
  return {
    values,
    create,
    setValue: (column: string, value: unknown) => setValues(new Map(values).set(column, value)),
    /** Begins with another record. */
    restart: () => {
      key.current = newIdempotencyKey()
      setValues(initial())
    },
  }
}
