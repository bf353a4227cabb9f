export const version = 'a'
