/** A moment as the user reads it, in the zone of their values. */
import type { ReactNode } from 'react'
import { formatMoment } from '../format/format-value.ts'
import { useReading } from '../session/session.ts'

export const Moment = ({ at }: { readonly at: string }): ReactNode => (
  <time dateTime={at}>{formatMoment(at, useReading())}</time>
)
