import type { ErrorPageProps } from '../page-types.ts'
import { type PublicError, publicMessage } from '../wire/public-error.ts'

/** Returns the props of an error page. */
export function errorPageProps(error: PublicError, host: string, retry: () => void): ErrorPageProps {
  const { kind: _, ...fields } = error
  return { status: 500, side: 'server', ...fields, message: publicMessage(error, host), host, retry }
}
