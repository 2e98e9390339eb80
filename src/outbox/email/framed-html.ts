/** The HTML of an e-mail as a page of its own, for a frame of the console. */
import type { FastifyReply } from 'fastify'

/**
 * E-mails contain texts of anybody: no script runs, no image is loaded from elsewhere, no form is sent,
 * and the page is of no origin, so it reads nothing of the service.
 */
const framePolicy = [
  'sandbox',
  "default-src 'none'",
  "style-src 'unsafe-inline'",
  'img-src data:',
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'self'",
].join('; ')

export const sendFramed = (reply: FastifyReply, html: string) =>
  reply
    .headers({
      'Content-Security-Policy': framePolicy,
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, no-store',
    })
    .type('text/html; charset=utf-8')
    .send(html)
