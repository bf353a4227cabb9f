/** Matches a digest. */
export const DIGEST_PATTERN = /^[0-9A-HJKMNP-TV-Z]{8}-[0-9A-HJKMNP-TV-Z]{6}$/
