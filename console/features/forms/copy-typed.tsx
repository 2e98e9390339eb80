/** Copies what was typed into a form that cannot be sent. */
import { type ReactNode, useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { useTexts } from '../../texts/texts.ts'

/** What stands in a form: the name of each field, and what was typed into it. */
export type TypedLines = readonly (readonly [label: string, text: string])[]

export const CopyTyped = ({ lines }: { readonly lines: TypedLines }): ReactNode => {
  const { drafts: texts } = useTexts()
  const [copied, setCopied] = useState<string>()
  const text = lines
    .filter(([, typed]) => typed !== '')
    .map(([label, typed]) => `${label}: ${typed}`)
    .join('\n')
  // Without HTTPS pages may not write to the clipboard.
  if (text === '' || !window.isSecureContext) return null
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(text)
  }
  return (
    <Button onClick={() => void copy()}>{copied === text ? texts.copied : texts.copyTyped}</Button>
  )
}
