/** What has the shape of a passkey and of its signature, and is none. */

export const noPasskey = { id: 'bm9uZQ', client_data: 'bm9uZQ', attestation: 'bm9uZQ' }

export const noProof = {
  id: 'bm9uZQ',
  client_data: 'bm9uZQ',
  authenticator_data: 'bm9uZQ',
  signature: 'bm9uZQ',
  user_handle: 'bm9uZQ',
}
