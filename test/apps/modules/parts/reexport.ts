export * from 'starred-esm'
