export {}

declare module 'hydrant/react' {
  interface Routes {
    '/favicon.svg': unknown
    '/llms.txt': unknown
  }
}
