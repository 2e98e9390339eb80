/** Which requests have an answer already: the framework itself knows it only when the hooks before sending have ended. */
import type { FastifyInstance, FastifyReply } from 'fastify'

const begun = new WeakSet<FastifyReply>()

/** Notes every answer when it begins to be sent. */
export const noteAnswers = (server: FastifyInstance): void => {
  server.addHook('onSend', (_request, reply, _payload, done) => {
    begun.add(reply)
    done()
  })
}

/** Whether an answer was given, even if its client has left before it was sent. */
export const hasAnswered = (reply: FastifyReply): boolean => reply.sent || begun.has(reply)
