/** A script in a process of its own that answers questions: plain data in, plain data out. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export type AskedProcess<Question, Answer> = {
  /** One question at a time. */
  readonly ask: (question: Question) => Promise<Answer>
  readonly stop: () => Promise<void>
}

/** Starts a script, such as `./sink.ts`. */
export const startAsked = <Question extends object, Answer>(
  script: string,
  args: readonly string[] = [],
): AskedProcess<Question, Answer> => {
  const child = fork(fileURLToPath(new URL(script, import.meta.url)), args)
  const exited = once(child, 'exit')
  const tooEarly = async (): Promise<never> => {
    await exited
    throw new Error(`${script} ended before it answered.`)
  }
  return {
    ask: async (question) => {
      const answered = once(child, 'message')
      child.send(question)
      const [answer] = await Promise.race([answered, tooEarly()])
      return answer as Answer
    },
    stop: async () => {
      if (child.connected) child.disconnect()
      await exited
    },
  }
}

/** The other side: answers every question, and ends when nobody can ask any more. */
export const answerQuestions = <Question, Answer>(
  answer: (question: Question) => Promise<Answer>,
): void => {
  process.on('message', (question: Question) => {
    void answer(question).then((given) => process.send?.(given))
  })
  process.on('disconnect', () => process.exit())
}
