/** Says what is wrong with a text that is no JSON, in one sentence in the language of the page. */
import type { WorkTexts } from '../../texts/texts.ts'
import { findFault } from './json-fault.ts'

const longestLine = 40

export const describeFault = (text: string, texts: WorkTexts['json']): string => {
  const fault = findFault(text)
  if (!fault) return texts.unreadable
  const line = text.slice(0, fault.at).split('\n').length
  const content = text.split('\n')[line - 1]?.trim() ?? ''
  const shown = content.length > longestLine ? `${content.slice(0, longestLine)}…` : content
  return texts.fault(line, shown, texts.faults[fault.kind])
}
