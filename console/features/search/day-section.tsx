/** A part of "My day": what it is about, how much there is, and the way to all of it. */
import { type ReactNode, useId } from 'react'
import './day.css'

/** How many of each kind a part shows. */
export const fewRows = 5

type SectionProps = {
  readonly title: ReactNode
  /** As the service counts; undefined where nothing is counted. */
  readonly count?: string | undefined
  /** The way to all of them. */
  readonly all?: ReactNode
  readonly children: ReactNode
}

export const DaySection = ({ title, count, all, children }: SectionProps): ReactNode => {
  const heading = useId()
  return (
    <section className="day-section" aria-labelledby={heading}>
      <header>
        <h2 id={heading}>
          {title} {count !== undefined && <span className="day-count">{count}</span>}
        </h2>
        {all}
      </header>
      {children}
    </section>
  )
}
