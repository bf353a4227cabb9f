export const left = 'left to the browser'
