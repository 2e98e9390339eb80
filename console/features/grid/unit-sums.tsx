/** Sums of records: which column is added up, how totals are read, and the sums of each unit as the service adds them up. */
import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode } from 'react'
import {
  currencyOptions,
  leastDecimals,
  withUnit,
} from '../../../src/definitions/values/rules/number-format.ts'
import { type AggregateName, totalsQuery, type UnitTotals } from '../../api/totals.ts'
import type { Criteria, Entity } from '../../api/types.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { formatValue } from '../format/field-kinds.ts'
import { type Reading, unitTextOf } from '../format/format-value.ts'
import { useReading, useSession } from '../session/session.ts'
import type { Entities, ListColumn } from '../values/columns.ts'
import { mainColumns } from '../values/main-columns.ts'

/** Ranges are selected key by key: how long a selection stays the same before it is added up. */
export const settleMs = 200

/** The column that is added up first: one of the records themselves whose sum is one number of one unit. */
export const firstAddable = (columns: readonly ListColumn[]): ListColumn | undefined =>
  columns.find(({ field, place }) => typeof field.unit === 'string' && place.length === 1) ??
  columns[0]

/** The column whose sum the selected records show; none without a unit, or of percentages. */
const amountOf = (entity: Entity, entities: Entities): ListColumn | undefined => {
  const { amount } = mainColumns(entity, entities)
  const unit = amount?.field.unit ?? '%'
  return unit === '%' ? undefined : amount
}

// Averages have as many decimals as their values; those of whole numbers have two.
const decimalsOfWhole = 2

/** A sum, average or other total as text. `rowUnit` is the unit of the records that were added up, if they have different ones. */
export const formatTotal = (
  value: unknown,
  name: AggregateName,
  { field, unit: naming }: ListColumn,
  reading: Reading,
  rowUnit?: unknown,
): string => {
  const unit = unitTextOf(rowUnit ?? field.unit, naming?.field)
  if (name !== 'avg' || typeof value !== 'string') return formatValue(value, field, reading, unit)
  const { scale = 0 } = field
  const digits = {
    minimumFractionDigits: leastDecimals(scale, unit),
    maximumFractionDigits: scale || decimalsOfWhole,
  }
  return withUnit(
    value as Intl.StringNumericLiteral,
    unit,
    (code) => new Intl.NumberFormat(reading.locale, { ...currencyOptions(code), ...digits }),
  )
}

/** Amounts of several units in a line, which breaks only between them. */
export const Amounts = ({ texts }: { readonly texts: readonly string[] }): ReactNode =>
  texts.map((text, at) => (
    <Fragment key={text}>
      {at > 0 && ' '}
      <span className="amount" dir="auto">
        {text}
      </span>
    </Fragment>
  ))

type SumsProps = {
  readonly entity: Entity
  readonly criteria: Pick<Criteria, '$where' | '$search'>
  /** Whether the criteria are about to change. */
  readonly isOld?: boolean
  /** Whether it names the column. */
  readonly isNamed?: boolean
}

// The units of the most records; the panel of totals shows all.
const maxUnits = 3
const shownOfMany = 2

/** The sum of the amounts of some records, for each unit; nothing if the entity has no amount with a unit. */
export const UnitSums = (props: SumsProps): ReactNode => {
  const { entities } = useSession()
  const column = amountOf(props.entity, entities)
  if (!column) return null
  return <Sums {...props} column={column} />
}

const Sums = (props: SumsProps & { readonly column: ListColumn }): ReactNode => {
  const { entity, criteria, isOld = false, isNamed = false, column } = props
  const texts = useWorkTexts().totals
  const reading = useReading()
  const { path, unit } = column
  const found = useQuery(totalsQuery({ entity: entity.key, criteria, path }, unit?.path))
  const textOf = (totals: UnitTotals) =>
    formatTotal(totals.sum?.[path], 'sum', column, reading, totals.unit)
  const byCount = (found.data?.totals ?? []).toSorted((one, other) => other.count - one.count)
  const all = byCount.map(textOf).filter((text) => text !== '')
  const shown = all.slice(0, all.length > maxUnits ? shownOfMany : maxUnits)
  const rest = all.length - shown.length
  return (
    <span
      className="unit-sums"
      aria-live="polite"
      aria-busy={isOld || found.isPlaceholderData || undefined}
    >
      {isNamed && all.length > 0 && <bdi>{column.label} </bdi>}
      {found.error ? (
        found.error.message
      ) : (
        <Amounts texts={rest > 0 ? [...shown, texts.moreUnits(rest)] : shown} />
      )}
    </span>
  )
}
