/** A button that copies a text, and says so as long as the text stays the same. */
import { type ReactNode, useState } from 'react'
import { Button } from './button.tsx'

type CopyProps = {
  readonly text: string
  readonly face: string
  /** What it says after copying. */
  readonly copiedFace: string
  /** Its name for screen readers, if the face does not say what is copied. */
  readonly label?: string
}

export const CopyButton = ({ text, face, copiedFace, label }: CopyProps): ReactNode => {
  const [copied, setCopied] = useState<string>()
  // Pages without HTTPS may not write to the clipboard.
  if (!window.isSecureContext) return null
  const copy = async () => {
    await navigator.clipboard.writeText(text)
    setCopied(text)
  }
  return (
    <Button onClick={() => void copy()} aria-label={label}>
      {copied === text ? copiedFace : face}
    </Button>
  )
}
