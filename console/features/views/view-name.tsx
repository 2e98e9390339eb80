/** The field for the name of a view. */
import type { ReactNode } from 'react'
import { useWorkTexts } from '../../texts/texts.ts'

type NameProps = { readonly id: string; readonly name?: string }

export const ViewName = ({ id, name }: NameProps): ReactNode => (
  <div className="field-row">
    <label htmlFor={`${id}-name`}>{useWorkTexts().views.name}</label>
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
