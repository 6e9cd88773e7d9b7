import {
  ApolloClient,
  ApolloLink,
  gql,
  HttpLink,
  InMemoryCache,
  Observable,
  type TypedDocumentNode,
} from '@apollo/client';
import { OperationTypeNode, print } from 'graphql';
import { createLive } from '../live/subscribe.ts';

const VITRINE_URL = process.env.VITRINE_URL ?? 'http://localhost:4000';

const live = createLive(`${VITRINE_URL}/graphql`);
const liveLink = new ApolloLink(
  ({ query, variables }) =>
    new Observable((observer) => live<Record<string, unknown>>({ query: print(query), variables }, observer)),
);

const client = new ApolloClient({
  cache: new InMemoryCache(),
  link: ApolloLink.split(
    ({ operationType }) => operationType === OperationTypeNode.SUBSCRIPTION,
    liveLink,
    new HttpLink({ uri: `${VITRINE_URL}/graphql` }),
  ),
});

const NOTICES: TypedDocumentNode<{ readonly notices: readonly { readonly title: string }[] }> = gql`
  subscription Notices {
    notices {
      id
      title
    }
  }
`;

client.subscribe({ query: NOTICES }).subscribe(({ data, error }) => {
  if (error) throw error;
  console.log(data?.notices.map(({ title }) => title));
});
