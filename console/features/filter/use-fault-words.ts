/** What is wrong with a value, in the words of the user. */
import { useWorkTexts } from '../../texts/texts.ts'
import { useReading } from '../session/session.ts'
import { numberExample, printTooMany } from '../values/number-text.ts'
import { temporalExample } from '../values/temporal-text.ts'
import type { ValueFault } from './value-fault.ts'

export const useFaultWords = (): ((fault: ValueFault) => string) => {
  const texts = useWorkTexts().values
  const issues = useWorkTexts().issues
  const { locale } = useReading()
  return (fault) => {
    if (typeof fault === 'object') return printTooMany(fault, texts, locale)
    if (fault === 'number') return texts.number(numberExample(locale, 2))
    if (fault === 'whole') return texts.whole(numberExample(locale, 0))
    if (fault === 'day' || fault === 'moment') return texts[fault](temporalExample(locale, fault))
    return issues[fault]
  }
}
