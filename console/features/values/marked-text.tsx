/** A text with the words that were looked for. */
import { Fragment, type ReactNode } from 'react'
import { markedParts } from './marked-parts.ts'
import './marked.css'

type MarkedProps = { readonly text: string; readonly words: string }

export const MarkedText = ({ text, words }: MarkedProps): ReactNode => (
  <span dir="auto">
    {markedParts(text, words).map(({ text: part, isMarked }, at) => {
      const Part = isMarked ? 'mark' : Fragment
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of one text have no other name
      return <Part key={at}>{part}</Part>
    })}
  </span>
)
