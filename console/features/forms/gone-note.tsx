/** Says in a form that its record was removed meanwhile; what was typed stays, and can be copied. */
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/texts.ts'
import { CopyTyped, type TypedLines } from './copy-typed.tsx'
import './forms.css'

export const GoneNote = ({ lines }: { readonly lines: TypedLines }): ReactNode => {
  const { drafts: texts } = useTexts()
  return (
    <div className="form-gone" role="alert">
      <p>{texts.gone}</p>
      <CopyTyped lines={lines} />
    </div>
  )
}
