/** The methods of requests for a page. */
export const READ_METHODS = ['GET', 'HEAD']
/** The methods of requests for an action. */
export const WRITE_METHODS = ['POST', 'PUT', 'PATCH', 'DELETE']
