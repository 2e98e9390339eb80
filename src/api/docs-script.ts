/** The script of the API page: it asks for a token if the document needs one. */

/**
 * Swagger UI would load the document before anybody can enter a token, so the page first checks whether it
 * may be read. The token stays in the tab. Without validatorUrl: null the document would be sent to
 * validator.swagger.io.
 */
export const docsScript = `const { url } = document.getElementById('api').dataset
const form = document.getElementById('ask')
const field = document.getElementById('token')
const refusal = document.getElementById('refusal')
const kept = 'docket-token'

const authorization = (token) => (token ? { Authorization: 'Bearer ' + token } : {})

/** Why the document cannot be shown; an empty text if no token was entered yet. */
const refusalOf = async (token) => {
  if (/[^\\x21-\\x7e]/.test(token)) return 'A token does not contain such characters.'
  const response = await fetch(url, { headers: authorization(token) })
  if (response.ok) return undefined
  const { detail } = await response.json()
  return response.status === 401 && token === '' ? '' : detail
}

const show = (token) => {
  const page = SwaggerUIBundle({
    url,
    requestInterceptor: (request) => {
      if (request.loadSpec) Object.assign(request.headers, authorization(token))
      return request
    },
    onComplete: () => token && page.preauthorizeApiKey('bearer', token),
    dom_id: '#api',
    validatorUrl: null,
    deepLinking: true,
    persistAuthorization: true,
    docExpansion: 'none',
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    filter: true,
  })
}

const open = async (token) => {
  const wrong = await refusalOf(token).catch(() => 'The service does not answer.')
  form.hidden = wrong === undefined
  refusal.textContent = wrong ?? ''
  if (wrong !== undefined) return field.focus()
  sessionStorage.setItem(kept, token)
  show(token)
}

form.addEventListener('submit', (event) => {
  event.preventDefault()
  open(field.value.trim().replace(/^Bearer\\s+/i, ''))
})
open(sessionStorage.getItem(kept) ?? '')
`
