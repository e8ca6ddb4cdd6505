/** What the roles of the database may is not as it has to be; says what the owner of the database, or an administrator of the server, has to do. */
export class RoleProblem extends Error {}
