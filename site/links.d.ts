// Targets of links that are not pages: routes of server.ts, and an address that does not exist.

export {}

declare module 'hydrant/react' {
  interface Routes {
    '/failures/f6/fail': unknown
    '/failures/f6/refuse': unknown
    '/no-such-page': unknown
  }
}
