/** One bearer token and nothing around it (RFC 6750): two headers arrive as one with a comma, which does not fit. */
const BEARER = /^Bearer ([\w-]+\.[\w-]+\.[\w-]+)$/i
const MAX_HEADER_CHARACTERS = 8_192

const API_KEY = /^Bearer (svc_[\w-]{43})$/i

/** The API key of an `Authorization` header; undefined when it holds none. */
export function keyOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > MAX_HEADER_CHARACTERS) return undefined
  return API_KEY.exec(authorization)?.[1]
}

/** The token of an `Authorization` header; undefined when there is none, or more than one. */
export function bearerOf(authorization: string | undefined): string | undefined {
  if (authorization === undefined || authorization.length > MAX_HEADER_CHARACTERS) return undefined
  return BEARER.exec(authorization)?.[1]
}
