/** What is wrong with a value, in the words of the user. */
import { useIssueTexts } from '../../texts/issues/texts.ts'
import { useTexts } from '../../texts/texts.ts'
import { useReading } from '../session/session.ts'
import { numberExample } from '../values/number-text.ts'
import type { ValueFault } from './value-fault.ts'

export const useFaultWords = (): ((fault: ValueFault) => string) => {
  const { values } = useTexts()
  const issues = useIssueTexts()
  const { locale } = useReading()
  return (fault) => {
    if (fault === 'number') return values.number(numberExample(locale, 2))
    return fault === 'whole' ? values.whole(numberExample(locale, 0)) : issues[fault]
  }
}
