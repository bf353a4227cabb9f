// Written by `hydrant types`, `hydrant dev` and `hydrant build`. Do not edit.
// biome-ignore-all format: written by a program
// biome-ignore-all lint: written by a program
/* eslint-disable */

// prettier-ignore
export {}

// prettier-ignore
declare module 'hydrant/react' {
  interface Routes {
    '/': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/all': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/left': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/native': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/pattern': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/require': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/styled': {
      params: {}
      layouts: ['/']
      server: {}
    }
    '/dot.png': unknown
    '/left.js': unknown
  }

  interface Layouts {
    '/': {
      params: {}
      layouts: []
      server: {}
    }
  }
}
