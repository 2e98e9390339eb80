/** How much of the length of a text is used, said when it comes near its end. */
import type { ReactNode } from 'react'
import { useIssueTexts } from '../../texts/issues/texts.ts'

type NoteProps = { readonly length: number; readonly most: number }

export const LengthNote = ({ length, most }: NoteProps): ReactNode => {
  const texts = useIssueTexts()
  return (
    <p className="field-help" role={length >= most ? 'status' : undefined}>
      {texts.used(length, most)}
    </p>
  )
}
