/** The field for the name of a view. */
import type { ReactNode } from 'react'
import { useViewTexts } from '../../texts/views/texts.ts'

type NameProps = { readonly id: string; readonly name?: string }

export const ViewName = ({ id, name }: NameProps): ReactNode => (
  <div className="field-row">
    <label htmlFor={`${id}-name`}>{useViewTexts().name}</label>
    <input
      id={`${id}-name`}
      name="name"
      className="field-input"
      dir="auto"
      defaultValue={name}
      maxLength={80}
      required
      // A name of blanks would be none.
      pattern=".*\S.*"
    />
  </div>
)
