/** Where a record stands in the list from which it was opened, with links to the previous and the next record. */
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation, useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { countQuery } from '../../api/queries.ts'
import { type ListPlace, type Neighbour, neighboursQuery } from '../../api/records/neighbours.ts'
import { useWorkTexts } from '../../texts/texts.ts'
import { numberFormat } from '../format/formatters.ts'
import { useReading } from '../session/session.ts'
import { useShortcuts } from '../session/shortcuts.ts'
import './preview.css'

type BarProps = { readonly entity: string; readonly id: number }

/** Empty for a record that was not opened from a list. */
export const NeighboursBar = (props: BarProps): ReactNode => {
  const place = useLocation({ select: ({ state }) => state.place })
  return place ? <Bar {...props} place={place} /> : null
}

const Bar = ({ entity, id, place }: BarProps & { readonly place: ListPlace }): ReactNode => {
  const texts = useWorkTexts().record
  const { locale } = useReading()
  const navigate = useNavigate()
  const { data } = useQuery(neighboursQuery(entity, id, place))
  const total = useQuery(countQuery({ entity, criteria: place.criteria })).data
  const go = (to: Neighbour | undefined) => to && void navigate(linkTo(entity, to))
  useShortcuts([
    { keys: 'j', label: texts.next, run: () => go(data?.next) },
    { keys: 'k', label: texts.previous, run: () => go(data?.previous) },
  ])
  const { format: print } = numberFormat(locale, 0)
  return (
    <nav className="neighbours" aria-label={texts.neighbours}>
      <Arrow entity={entity} to={data?.previous} label={texts.previous} sign="‹" />
      <span>
        {print(place.position)}
        {total !== undefined && ` / ${print(total)}`}
      </span>
      <Arrow entity={entity} to={data?.next} label={texts.next} sign="›" />
    </nav>
  )
}

/** The link to the same section of another record. */
const linkTo = (entity: string, { id, place }: Neighbour) =>
  ({
    to: '/$entity/$id',
    params: { entity, id: `${id}` },
    hash: true,
    state: { place },
    replace: true,
  }) as const

type ArrowProps = {
  readonly entity: string
  readonly to: Neighbour | undefined
  readonly label: string
  readonly sign: string
}

const Arrow = ({ entity, to, label, sign }: ArrowProps): ReactNode =>
  to ? (
    <Link
      {...linkTo(entity, to)}
      className="button"
      data-look="icon"
      aria-label={label}
      title={label}
    >
      {sign}
    </Link>
  ) : (
    <button type="button" className="button" data-look="icon" aria-label={label} disabled>
      {sign}
    </button>
  )
